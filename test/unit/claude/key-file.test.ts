import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { keyFileName, keyFilePath, readPeerToken, writeKeyFile } from "../../../src/claude/key-file.ts";
import { openSandbox } from "./sandbox.ts";

const SOCKET = "/run/user/1500/cc-socks/60.sock";
const TOKEN = "b47df9aa6a41d2f21fe160972edbbd54";

test("a key file is named after the process and the path, as Claude Code names it", () => {
  assert.equal(keyFileName(60, SOCKET), "60.2cc14be35f03d3cfa4316be2b3fa8d9e81ea97e56eba3d38d7c3edf1b7aa99ad.key");
});

test("a key that was written is read back, and only its user may read it", (t) => {
  const { claudeConfig } = openSandbox(t);
  writeKeyFile(claudeConfig, 60, SOCKET, { peerToken: TOKEN, procStart: "1" });
  assert.equal(readPeerToken(claudeConfig, 60, SOCKET), TOKEN);
  assert.equal(fs.statSync(keyFilePath(claudeConfig, 60, SOCKET)).mode & 0o777, 0o600);
});

test("a key that is missing, damaged, a link, a directory or oversized opens nothing", (t) => {
  const { claudeConfig, root } = openSandbox(t);
  const file = keyFilePath(claudeConfig, 60, SOCKET);
  assert.equal(readPeerToken(claudeConfig, 60, SOCKET), undefined);
  for (const content of ["", "{", "[]", "null", '{"peerToken":1}', '{"peerToken":""}', `{"peerToken":"${"x".repeat(10_000)}"}`]) {
    fs.writeFileSync(file, content);
    assert.equal(readPeerToken(claudeConfig, 60, SOCKET), undefined, content.slice(0, 40));
  }
  fs.unlinkSync(file);
  fs.writeFileSync(path.join(root, "elsewhere"), JSON.stringify({ peerToken: TOKEN }));
  fs.symlinkSync(path.join(root, "elsewhere"), file);
  assert.equal(readPeerToken(claudeConfig, 60, SOCKET), undefined);
  fs.unlinkSync(file);
  fs.mkdirSync(file);
  assert.equal(readPeerToken(claudeConfig, 60, SOCKET), undefined);
});
