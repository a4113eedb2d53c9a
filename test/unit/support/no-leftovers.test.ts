import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const guard = path.join(import.meta.dirname, "..", "..", "support", "no-leftovers.ts");

/** Runs a test file with this one test body under the guard. */
function runGuarded(directory: string, body: string) {
  const file = path.join(directory, "guarded.test.mjs");
  fs.writeFileSync(
    file,
    `import ${JSON.stringify(guard)};
     import fs from "node:fs"; import net from "node:net"; import os from "node:os"; import path from "node:path";
     import { spawn } from "node:child_process"; import { test } from "node:test";
     test("body", (t) => { ${body} });`,
  );
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--test", file], {
    cwd: directory,
    env,
    encoding: "utf8",
    timeout: 20_000,
  });
  return { status, output: stdout + stderr };
}

test("a test file that leaves nothing passes", (t) => {
  assert.equal(runGuarded(temporaryDirectory(t), "").status, 0);
});

const leaks = [
  {
    what: "a child process",
    body: `spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" }).unref();`,
    said: /process \d+: .*setInterval/,
  },
  { what: "a listening socket", body: `net.createServer().listen(0, "127.0.0.1");`, said: /listening socket/ },
  { what: "a temporary file", body: `fs.writeFileSync(path.join(os.tmpdir(), "forgotten"), "");`, said: /temporary file: .*forgotten/ },
];
for (const { what, body, said } of leaks) {
  test(`a test file that leaves ${what} fails and says so`, (t) => {
    const { status, output } = runGuarded(temporaryDirectory(t), body);
    assert.notEqual(status, 0);
    assert.match(output, said);
  });
}

test("a test file that leaves a process that detached itself fails and says so", {
  skip: process.platform !== "linux" && "needs /proc",
}, (t) => {
  const detaching = `spawn("sh", ["-c", "sleep 47 & exit"], { stdio: "ignore", detached: true });`;
  const { status, output } = runGuarded(temporaryDirectory(t), detaching);
  assert.notEqual(status, 0);
  assert.match(output, /process \d+: sleep 47/);
});

test("a temporary directory outlives the hooks that were registered after it", (t) => {
  const body = `t.after(() => fs.writeFileSync(path.join(directory, "late"), ""));`;
  const support = path.join(path.dirname(guard), "temporary-directory.ts");
  const { status, output } = runGuarded(
    temporaryDirectory(t),
    `return import(${JSON.stringify(support)}).then(({ temporaryDirectory }) => { const directory = temporaryDirectory(t); ${body} });`,
  );
  assert.equal(status, 0, output);
});
