import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { detachedEnvironment, runningExecutable, selfCommand } from "../../../src/core/self-command.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

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

test("F2 what is started next is the recorded path, until another file is there or none", (t) => {
  const directory = temporaryDirectory(t);
  const [recorded, image] = [path.join(directory, "ccm"), path.join(directory, "image")];
  fs.writeFileSync(recorded, "");
  assert.equal(runningExecutable(recorded, path.join(directory, "no such name on this system")), recorded);
  fs.linkSync(recorded, image);
  assert.equal(runningExecutable(recorded, image), recorded);
  fs.renameSync(recorded, `${recorded}.old`);
  assert.equal(runningExecutable(recorded, image), image);
  fs.writeFileSync(recorded, "an update");
  assert.equal(runningExecutable(recorded, image), image);
});

test("F2 a program that was moved and removed while it runs still starts itself", {
  skip: process.platform !== "linux" && "needs /proc",
}, (t) => {
  const copy = path.join(temporaryDirectory(t), "runtime");
  fs.copyFileSync(process.execPath, copy);
  const script = `
    import { spawnSync } from "node:child_process";
    import fs from "node:fs";
    import { runningExecutable } from ${JSON.stringify(path.join(import.meta.dirname, "..", "..", "..", "src", "core", "self-command.ts"))};
    fs.rmSync(process.execPath);
    process.stdout.write(spawnSync(runningExecutable(), ["--version"], { encoding: "utf8" }).stdout);`;
  const { stdout, stderr } = spawnSync(copy, ["--input-type=module", "-e", script], { encoding: "utf8" });
  assert.equal(stdout, `${process.version}\n`, stderr);
});
