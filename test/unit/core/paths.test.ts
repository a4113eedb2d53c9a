import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { MAX_SOCKET_PATH_BYTES, resolvePaths } from "../../../src/core/paths.ts";

test("paths are under the home directory unless the environment says otherwise", () => {
  const paths = resolvePaths({ HOME: "/home/ann" });
  assert.equal(paths.claudeConfig, "/home/ann/.claude");
  assert.equal(paths.configFile, "/home/ann/.config/claude-code-message/config.json");
  assert.equal(paths.auditFile, "/home/ann/.local/state/claude-code-message/audit.jsonl");
  assert.equal(paths.cache, "/home/ann/.cache/claude-code-message");
});

test("XDG variables are honoured, and count as unset when they are empty or relative", () => {
  const set = resolvePaths({ HOME: "/home/ann", XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s", XDG_CACHE_HOME: "/k" });
  assert.deepEqual([set.config, set.state, set.cache], ["/c/claude-code-message", "/s/claude-code-message", "/k/claude-code-message"]);
  const bad = resolvePaths({ HOME: "/home/ann", XDG_CONFIG_HOME: "", XDG_STATE_HOME: "state", XDG_CACHE_HOME: "./k" });
  assert.deepEqual(bad, resolvePaths({ HOME: "/home/ann" }));
});

test("a second Claude config directory has configuration and state of its own, and one cache", () => {
  const usual = resolvePaths({ HOME: "/home/ann" });
  const other = resolvePaths({ HOME: "/home/ann", CLAUDE_CONFIG_DIR: "/home/ann/.claude-work" });
  assert.notEqual(other.configFile, usual.configFile);
  assert.notEqual(other.controlSocket, usual.controlSocket);
  assert.equal(other.cache, usual.cache);
  assert.deepEqual(resolvePaths({ HOME: "/home/ann", CLAUDE_CONFIG_DIR: "/home/ann/.claude/" }), usual);
});

test("a relative or missing HOME falls back to the user's own", () => {
  const { home } = resolvePaths({ HOME: "relative" });
  assert.ok(path.isAbsolute(home));
  assert.equal(resolvePaths({}).home, home);
});

test("the control socket's path fits a socket address, also with a long state directory", () => {
  const home = `/home/${"long".repeat(40)}`;
  const first = resolvePaths({ HOME: home }).controlSocket;
  assert.ok(Buffer.byteLength(first) <= MAX_SOCKET_PATH_BYTES);
  assert.notEqual(first, resolvePaths({ HOME: `${home}er` }).controlSocket);
});
