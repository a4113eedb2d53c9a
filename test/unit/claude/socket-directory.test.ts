import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { chooseSocketDirectory } from "../../../src/claude/socket-directory.ts";
import { CcmError } from "../../../src/core/errors.ts";
import { openSandbox } from "./sandbox.ts";

const uid = process.getuid?.() ?? 0;
const someoneElse = uid + 1;

function makeDirectory(directory: string, mode: number): string {
  fs.mkdirSync(directory, { recursive: true });
  fs.chmodSync(directory, mode);
  return directory;
}

function modeOf(file: string): number {
  return fs.lstatSync(file).mode & 0o7777;
}

test("R5 the first of XDG_RUNTIME_DIR, CLAUDE_CODE_TMPDIR and /tmp that is set decides, as for a native session", (t) => {
  const { root } = openSandbox(t);
  const sharedTemporary = makeDirectory(path.join(root, "tmp"), 0o1777);
  const runtime = makeDirectory(path.join(root, "xdg"), 0o700);
  const temporary = makeDirectory(path.join(root, "cc"), 0o700);
  const choose = (env: NodeJS.ProcessEnv) => chooseSocketDirectory(env, { sharedTemporary });
  assert.equal(choose({ XDG_RUNTIME_DIR: runtime, CLAUDE_CODE_TMPDIR: temporary }), path.join(runtime, "cc-socks"));
  assert.equal(choose({ XDG_RUNTIME_DIR: "", CLAUDE_CODE_TMPDIR: temporary }), path.join(temporary, "cc-socks"));
  assert.equal(choose({}), path.join(sharedTemporary, "cc-socks"));
  for (const parent of [runtime, temporary, sharedTemporary]) assert.equal(modeOf(path.join(parent, "cc-socks")), 0o700);
});

test("R5 a runtime directory that does not exist yet is made", (t) => {
  const { root } = openSandbox(t);
  const directory = chooseSocketDirectory({ XDG_RUNTIME_DIR: path.join(root, "a", "b") }, { sharedTemporary: root });
  assert.equal(directory, path.join(root, "a", "b", "cc-socks"));
  assert.equal(modeOf(path.join(root, "a")), 0o700);
});

test("R5 one that everybody may write to, that is not absolute, or whose paths would be too long is passed over", (t) => {
  const { root } = openSandbox(t);
  const sharedTemporary = makeDirectory(path.join(root, "tmp"), 0o1777);
  const own = path.join(sharedTemporary, `cc-socks-${uid}`);
  const choose = (runtime: string) => chooseSocketDirectory({ XDG_RUNTIME_DIR: runtime }, { sharedTemporary });
  assert.equal(choose(makeDirectory(path.join(root, "open"), 0o777)), own);
  assert.equal(choose("relative"), own);
  assert.equal(choose(makeDirectory(path.join(root, "x".repeat(80)), 0o700)), own);
  assert.equal(fs.existsSync(path.join(root, "open", "cc-socks")), false);
});

test("R5 a directory of our own with a wider mode is closed to others", (t) => {
  const { root } = openSandbox(t);
  const directory = makeDirectory(path.join(root, "xdg", "cc-socks"), 0o755);
  assert.equal(chooseSocketDirectory({ XDG_RUNTIME_DIR: path.join(root, "xdg") }, { sharedTemporary: root }), directory);
  assert.equal(modeOf(directory), 0o700);
});

test("R6 directories of someone else are refused by name and left as they are", (t) => {
  const { root } = openSandbox(t);
  const sharedTemporary = makeDirectory(path.join(root, "tmp"), 0o1777);
  const first = makeDirectory(path.join(sharedTemporary, "cc-socks"), 0o755);
  const second = makeDirectory(path.join(sharedTemporary, `cc-socks-${someoneElse}`), 0o777);
  // The user of the test owns both, so the one who asks is another.
  const attempt = () => chooseSocketDirectory({}, { sharedTemporary, uid: someoneElse });
  assert.throws(attempt, (error) => {
    assert(error instanceof CcmError);
    assert.equal(error.code, "socket_directory_unsafe");
    return error.message.includes(first) && error.message.includes(second);
  });
  assert.equal(modeOf(first), 0o755);
  assert.equal(modeOf(second), 0o777);
});

test("R6 a symlink in the place of a directory is neither followed nor removed", (t) => {
  const { root } = openSandbox(t);
  const sharedTemporary = makeDirectory(path.join(root, "tmp"), 0o1777);
  const elsewhere = makeDirectory(path.join(root, "elsewhere"), 0o755);
  for (const name of ["cc-socks", `cc-socks-${uid}`]) fs.symlinkSync(elsewhere, path.join(sharedTemporary, name));
  assert.throws(() => chooseSocketDirectory({}, { sharedTemporary }), /cc-socks is a symlink; .*is a symlink/);
  assert.equal(modeOf(elsewhere), 0o755);
  assert.equal(fs.lstatSync(path.join(sharedTemporary, "cc-socks")).isSymbolicLink(), true);
});

test("R6 a file in the place of a directory is refused; a native session's second choice is taken", (t) => {
  const { root } = openSandbox(t);
  const sharedTemporary = makeDirectory(path.join(root, "tmp"), 0o1777);
  fs.writeFileSync(path.join(sharedTemporary, "cc-socks"), "");
  assert.equal(chooseSocketDirectory({}, { sharedTemporary }), path.join(sharedTemporary, `cc-socks-${uid}`));
});
