import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { CcmError } from "../../../src/core/errors.ts";
import { ensurePrivateDirectory, readFileIfPresent, writePrivateFile } from "../../../src/core/private-file.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

function isUnusable(file: string) {
  return (error: unknown) => error instanceof CcmError && error.code === "state_unusable" && error.message.includes(file);
}

test("a file is written whole and for its owner alone", (t) => {
  const file = path.join(temporaryDirectory(t), "state.json");
  writePrivateFile(file, "one");
  writePrivateFile(file, "two");
  assert.equal(fs.readFileSync(file, "utf8"), "two");
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(fs.readdirSync(path.dirname(file)), ["state.json"]);
});

test("a symlink in the way is replaced, and what it points to is untouched", (t) => {
  const directory = temporaryDirectory(t);
  const [victim, file] = [path.join(directory, "victim"), path.join(directory, "state.json")];
  fs.writeFileSync(victim, "precious");
  fs.symlinkSync(victim, file);
  writePrivateFile(file, "ours");
  assert.equal(fs.readFileSync(victim, "utf8"), "precious");
  assert.ok(fs.lstatSync(file).isFile());
});

test("a write that fails says where, changes nothing and leaves no temporary file", (t) => {
  const directory = temporaryDirectory(t);
  const file = path.join(directory, "state.json");
  fs.mkdirSync(file);
  assert.throws(() => writePrivateFile(file, "x"), isUnusable(file));
  assert.deepEqual(fs.readdirSync(directory), ["state.json"]);
});

test("a full disk says where, keeps the old content and leaves no temporary file", (t) => {
  const directory = temporaryDirectory(t);
  const file = path.join(directory, "state.json");
  writePrivateFile(file, "old");
  t.mock.method(fs, "writeFileSync", () => {
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  });
  assert.throws(() => writePrivateFile(file, "new"), isUnusable(file));
  assert.equal(fs.readFileSync(file, "utf8"), "old");
  assert.deepEqual(fs.readdirSync(directory), ["state.json"]);
});

test("a directory is made with its parents, for its owner alone", (t) => {
  const directory = path.join(temporaryDirectory(t), "a", "b");
  ensurePrivateDirectory(directory);
  ensurePrivateDirectory(directory);
  assert.equal(fs.statSync(directory).mode & 0o777, 0o700);
  assert.equal(fs.statSync(path.dirname(directory)).mode & 0o777, 0o700);
});

test("a file in the way of a directory is refused by name", (t) => {
  const file = path.join(temporaryDirectory(t), "file");
  fs.writeFileSync(file, "");
  assert.throws(() => ensurePrivateDirectory(path.join(file, "below")), isUnusable(file));
});

test("a file that is not there reads as undefined, one that cannot be read throws", (t) => {
  const directory = temporaryDirectory(t);
  assert.equal(readFileIfPresent(path.join(directory, "none")), undefined);
  fs.writeFileSync(path.join(directory, "file"), "text");
  assert.equal(readFileIfPresent(path.join(directory, "file")), "text");
  assert.equal(readFileIfPresent(path.join(directory, "file", "below")), undefined);
  assert.throws(() => readFileIfPresent(directory), isUnusable(directory));
});
