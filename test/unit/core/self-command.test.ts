import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { detachedEnvironment, selfCommand } from "../../../src/core/self-command.ts";

test("run from source, the program starts the runtime with its main file", () => {
  const { file, args } = selfCommand(["mirror", "--x"]);
  assert.equal(file, process.execPath);
  assert.ok(fs.existsSync(args[0] ?? ""));
  assert.deepEqual(args.slice(1), ["mirror", "--x"]);
});

test("a long-lived child inherits nothing of one session and nothing that changes the runtime", () => {
  const kept = { HOME: "/h", PATH: "/bin", SSH_AUTH_SOCK: "/a", CLAUDE_CONFIG_DIR: "/c", CLAUDE_CODE_TMPDIR: "/t" };
  const dropped = {
    CLAUDECODE: "1",
    CLAUDE_PID: "7",
    CLAUDE_CODE_SESSION_ID: "s",
    CLAUDE_CODE_MESSAGING_TOKEN: "secret",
    CLAUDE_CODE_CHILD_SESSION: "1",
    CLAUDE_PLUGIN_ROOT: "/p",
    NODE_OPTIONS: "--inspect",
    NODE_EXTRA_CA_CERTS: "/none",
    NODE_V8_COVERAGE: "/cov",
    NODE_DEBUG: "net",
  };
  assert.deepEqual(detachedEnvironment({ ...kept, ...dropped }), kept);
});
