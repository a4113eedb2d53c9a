import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { bareEnvironment, executable, notBuilt, runProgram } from "../support/built-executable.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const expected = notBuilt ? undefined : runProgram(executable, ["--version"], {});

const ways: readonly (readonly [string, (directory: string) => Parameters<typeof runProgram>])[] = [
  [
    "a symlink",
    (directory) => {
      fs.symlinkSync(executable, path.join(directory, "chat"));
      return [path.join(directory, "chat"), ["--version"], {}];
    },
  ],
  ["a relative path", () => [`.${path.sep}ccm`, ["--version"], { cwd: path.dirname(executable) }]],
  ["PATH", () => ["ccm", ["--version"], { env: { PATH: path.dirname(executable) } }]],
  ["another argv[0]", () => [executable, ["--version"], { argv0: "-sh" }]],
  ["an empty argv[0]", () => [executable, ["--version"], { argv0: "" }]],
  [
    "a name with spaces and letters of other scripts",
    (directory) => {
      fs.copyFileSync(executable, path.join(directory, "作业 ccm"));
      return [path.join(directory, "作业 ccm"), ["--version"], {}];
    },
  ],
];
for (const [what, prepare] of ways) {
  test(`F2 run through ${what} it is the same program`, { skip: notBuilt }, (t) => {
    assert.deepEqual(runProgram(...prepare(temporaryDirectory(t))), expected);
  });
}

test("F2 from a deleted directory it works, with and without the second bundle", { skip: notBuilt }, (t) => {
  const gone = path.join(temporaryDirectory(t), "gone");
  for (const word of ["--version", "--help"]) {
    fs.mkdirSync(gone);
    const script = 'rmdir "$1" && exec "$2" "$3"';
    const { status, stdout, stderr } = runProgram("/bin/sh", ["-c", script, "sh", gone, executable, word], { cwd: gone });
    assert.deepEqual([status, stderr], [0, ""]);
    assert.match(stdout, /ccm/);
  }
});

test("F3 with an empty PATH and no node anywhere near, every part of it loads", { skip: notBuilt }, (t) => {
  const directory = temporaryDirectory(t);
  const alone = path.join(directory, "ccm");
  fs.copyFileSync(executable, alone);
  for (const word of ["--version", "--help"]) {
    const { status, stderr } = runProgram(alone, [word], { env: bareEnvironment(t), cwd: directory });
    assert.deepEqual([status, stderr], [0, ""]);
  }
});

test("an argument that no command knows is a usage error on one line", { skip: notBuilt }, (t) => {
  const { status, stdout, stderr } = runProgram(executable, ["no-such-command"], { env: bareEnvironment(t) });
  assert.deepEqual([status, stdout], [2, ""]);
  assert.match(stderr, /no-such-command/);
});
