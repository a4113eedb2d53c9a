import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { suite, test } from "node:test";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const guard = path.join(import.meta.dirname, "..", "..", "support", "no-leftovers.ts");

/** Runs a test file with this one test body under the guard. */
function runGuarded(directory: string, body: string): Promise<{ status: number | null; output: string }> {
  const file = path.join(directory, "guarded.test.mjs");
  fs.writeFileSync(
    file,
    `import ${JSON.stringify(guard)};
     import fs from "node:fs"; import net from "node:net"; import os from "node:os"; import path from "node:path";
     import { spawn } from "node:child_process"; import { test } from "node:test";
     test("body", (t) => { ${body} });`,
  );
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { promise, resolve } = Promise.withResolvers<{ status: number | null; output: string }>();
  const options = { cwd: directory, env, encoding: "utf8", timeout: 20_000 } as const;
  const child = execFile(process.execPath, ["--test", file], options, (_failure, stdout, stderr) =>
    resolve({ status: child.exitCode, output: stdout + stderr }),
  );
  return promise;
}

// Most of their time the guards wait for what was left to go.
suite("no leftovers", { concurrency: true }, () => {
  test("a test file that leaves nothing passes", async (t) => {
    assert.equal((await runGuarded(temporaryDirectory(t), "")).status, 0);
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
    test(`a test file that leaves ${what} fails and says so`, async (t) => {
      const { status, output } = await runGuarded(temporaryDirectory(t), body);
      assert.notEqual(status, 0);
      assert.match(output, said);
    });
  }

  test("a test file that leaves a process that detached itself fails and says so", {
    skip: process.platform !== "linux" && "needs /proc",
  }, async (t) => {
    const detaching = `spawn("sh", ["-c", "sleep 47 & exit"], { stdio: "ignore", detached: true });`;
    const { status, output } = await runGuarded(temporaryDirectory(t), detaching);
    assert.notEqual(status, 0);
    assert.match(output, /process \d+: sleep 47/);
  });

  test("a temporary directory outlives the hooks that were registered after it", async (t) => {
    const body = `t.after(() => fs.writeFileSync(path.join(directory, "late"), ""));`;
    const support = path.join(path.dirname(guard), "temporary-directory.ts");
    const { status, output } = await runGuarded(
      temporaryDirectory(t),
      `return import(${JSON.stringify(support)}).then(({ temporaryDirectory }) => { const directory = temporaryDirectory(t); ${body} });`,
    );
    assert.equal(status, 0, output);
  });
});
