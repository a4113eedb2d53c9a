import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { bareEnvironment, executable, notBuilt, runProgram } from "../support/built-executable.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

test("F2 moved and replaced while it runs, it goes on, and its path runs what is new", { skip: notBuilt, timeout: 20_000 }, async (t) => {
  const directory = temporaryDirectory(t);
  const [file, next] = [path.join(directory, "ccm"), path.join(directory, "next")];
  fs.copyFileSync(executable, file);
  fs.copyFileSync(executable, next);
  // A mirror waits for its daemon's first line.
  const mirror = spawn(file, ["mirror"], { env: bareEnvironment(t), stdio: ["pipe", "pipe", "pipe"] });
  await once(mirror, "spawn");
  fs.renameSync(file, `${file}.old`);
  fs.renameSync(next, file);
  assert.equal(runProgram(file, ["--version"]).status, 0);
  fs.rmSync(`${file}.old`);
  assert.equal(mirror.exitCode, null);
  mirror.stdin.end();
  await once(mirror, "close");
  assert.equal(mirror.signalCode, null);
});

test("F4 the checksum beside the executable is its own", { skip: notBuilt }, () => {
  const { status, stdout, stderr } = runProgram("/bin/sh", ["-c", "sha256sum -c ccm.sha256 || shasum -a 256 -c ccm.sha256"], {
    cwd: path.dirname(executable),
    env: { PATH: process.env["PATH"] },
  });
  assert.equal(status, 0, stdout + stderr);
});
