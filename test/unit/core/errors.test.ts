import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { CcmError, exitCodes, systemErrorCode, toCcmError } from "../../../src/core/errors.ts";

/** Scripts rely on these numbers: a code may be added, never changed or given to something else. */
const pinned = {
  internal: 1,
  usage: 2,
  config_invalid: 3,
  no_such_member: 10,
  ambiguous_name: 11,
  message_to_self: 12,
  too_large: 13,
  undeliverable: 14,
  unconfirmed: 15,
  queued: 16,
  refused: 17,
  held: 18,
  daemon_unavailable: 20,
  already_running: 21,
  state_unusable: 22,
  socket_directory_unsafe: 23,
  executable_missing: 24,
  host_not_found: 30,
  host_unreachable: 31,
  host_key_unknown: 32,
  host_key_changed: 33,
  host_key_revoked: 34,
  known_hosts_unreadable: 35,
  authentication_failed: 36,
  ssh_failed: 37,
  ssh_config_unsupported: 38,
  push_failed: 40,
  platform_unsupported: 41,
  remote_failed: 42,
  protocol_unsupported: 50,
  protocol_violated: 51,
  link_refused: 52,
  link_down: 53,
  peer_silent: 54,
  timeout: 60,
};

test("exit codes that were once given keep their number", () => {
  assert.deepEqual({ ...exitCodes, ...pinned }, exitCodes);
});

test("every exit code is different, and none is a shell's", () => {
  const numbers = Object.values(exitCodes);
  assert.equal(new Set(numbers).size, numbers.length);
  assert.ok(numbers.every((number) => number > 0 && number < 126));
});

test("the README lists exactly these codes and numbers", () => {
  const readme = fs.readFileSync(path.join(import.meta.dirname, "..", "..", "..", "README.md"), "utf8");
  const listed = [...readme.matchAll(/^\| (\d+) \| `(\w+)` \|/gm)].map(([, number, code]) => [code, Number(number)]);
  assert.deepEqual(listed, Object.entries(exitCodes));
});

test("anything thrown becomes a CcmError, and one that is one stays itself", () => {
  const known = new CcmError("timeout", "too late", { hint: "wait" });
  assert.equal(toCcmError(known), known);
  const foreign = toCcmError(new TypeError("oops"));
  assert.deepEqual([foreign.code, foreign.exitCode, foreign.message], ["internal", 1, "oops"]);
  for (const thrown of [undefined, null, "text", 7, {}, Object.create(null)]) assert.equal(toCcmError(thrown).code, "internal");
});

test("a CcmError of the executable's other bundle keeps its code", () => {
  class Twin extends Error {
    override name = "CcmError";
    code = "queued";
    hint = undefined;
    exitCode = exitCodes.queued;
  }
  assert.equal(toCcmError(new Twin("later")).code, "queued");
});

test("a system error's code is found, and nothing else passes for one", () => {
  assert.equal(systemErrorCode(Object.assign(new Error("x"), { code: "ENOENT" })), "ENOENT");
  for (const thrown of [undefined, null, "ENOENT", {}, { code: 2 }]) assert.equal(systemErrorCode(thrown), undefined);
});
