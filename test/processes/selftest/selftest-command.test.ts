import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { findScript } from "../../../src/selftest/terminal.ts";
import { eventually } from "../../support/eventually.ts";
import { processesMarked } from "../../support/process-list.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ChatHome } from "../../unit/cli/fixtures/chat-home.ts";

const MAIN = path.join(import.meta.dirname, "../../../src/main.ts");
const skip = findScript("/usr/bin:/bin") === undefined ? "there is no script command here" : false;

/** A program that is called claude and is none. */
function makeClaude(t: TestContext, script: string): string {
  const file = path.join(temporaryDirectory(t), "claude");
  fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

/** A directory that must be empty, with no process that knows it, when all is over. */
function assertNothingIn(directory: string): void {
  assert.deepEqual(fs.readdirSync(directory), []);
  assert.deepEqual(processesMarked(`HOME=${directory}`), []);
}

test("a claude that does not come up: what its screen says, 71, and nothing is left", { skip }, async (t) => {
  const temporary = temporaryDirectory(t);
  const claude = makeClaude(t, "test -t 0 && test -t 1 && echo 'a terminal, and HOME is' $HOME; exit 3");
  const { exitCode, stdout } = await new ChatHome(t, { TMPDIR: temporary }).ccm(["selftest", "--json", "--claude", claude]);
  const { error } = JSON.parse(stdout);
  assert.deepEqual([exitCode, error.code], [71, "selftest_unavailable"]);
  assert.match(error.message, /ended at its start: a terminal, and HOME is \S+\/ccm-selftest-\w+\/home/);
  assertNothingIn(temporary);
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`${signal} ends the selftest, and nothing is left: no process, no file`, { skip }, async (t) => {
    const temporary = temporaryDirectory(t);
    const started = path.join(temporaryDirectory(t), "started");
    const claude = makeClaude(t, `trap '' HUP; echo >> '${started}'; exec sleep 60`);
    const env = { ...new ChatHome(t).environment, TMPDIR: temporary };
    const child = spawn(process.execPath, [MAIN, "selftest", "--claude", claude], { env, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const ended = new Promise((resolve) => child.once("close", resolve));
    await eventually(() => fs.existsSync(started) && fs.readFileSync(started, "utf8").length === 3, { deadlineMs: 20_000 });
    child.kill(signal);
    assert.equal(await ended, signal === "SIGINT" ? 130 : 143, said);
    assert.match(said, /interrupted/);
    assertNothingIn(temporary);
  });
}
