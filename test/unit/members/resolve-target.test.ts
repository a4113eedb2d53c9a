import assert from "node:assert/strict";
import { test } from "node:test";
import type { RegistryEntry } from "../../../src/claude/registry.ts";
import { sessionReference } from "../../../src/claude/session-reference.ts";
import { CcmError } from "../../../src/core/errors.ts";
import { resolveMember } from "../../../src/members/resolve-target.ts";

function session(pid: number, name: string, more: { gone?: true } = {}): RegistryEntry {
  const messagingSocketPath = `/tmp/cc-socks/${pid}.sock`;
  const record = { pid, name, sessionId: `id-${pid}`, messagingSocketPath, raw: {} };
  const unreachable = { reason: "process_gone", detail: `there is no process ${pid}` } as const;
  return { file: `${pid}.json`, pid, record, ...(more.gone && { unreachable }) };
}

const entries = [session(1, "api"), session(2, "web-ui"), session(3, "twin"), session(4, "twin"), session(5, "old", { gone: true })];

function failure(text: string): CcmError {
  try {
    resolveMember(entries, text);
  } catch (error) {
    if (error instanceof CcmError) return error;
  }
  throw new Error(`${text} was resolved`);
}

test("T4 a name, a name with its reference, a session id and an address all lead to the session", () => {
  for (const text of ["api", `api [${sessionReference("/tmp/cc-socks/1.sock")}]`, "id-1", "uds:/tmp/cc-socks/1.sock"]) {
    assert.equal(resolveMember(entries, text).pid, 1, text);
  }
});

test("T3 T4 a bare socket path and a session's own name in the cloud lead to it here; other kinds of address are refused with what they are", () => {
  const bridged = session(7, "bridged");
  const record = { ...bridged.record, pid: 7, bridgeSessionId: "session_7", raw: {} };
  const all = [...entries, { ...bridged, record }];
  assert.equal(resolveMember(all, "/tmp/cc-socks/1.sock").pid, 1);
  assert.equal(resolveMember(all, "bridge:session_7").pid, 7);
  for (const [text, message] of [
    ["bridge:session_8", /^bridge:session_8 is no session of this machine/],
    ["did:web:example.org", /decentralized identifier/],
    ["\\\\.\\pipe\\cc-1", /named pipe of Windows/],
  ] as const) {
    assert.throws(() => resolveMember(all, text), { code: "undeliverable", message });
  }
});

test("N1 an ambiguous name is refused with addresses that work when typed back", () => {
  const { code, hint = "" } = failure("twin");
  assert.equal(code, "ambiguous_name");
  const addresses = [...hint.matchAll(/"([^"]+)"/g)].map((match) => match[1] ?? "");
  assert.deepEqual(
    addresses.map((address) => resolveMember(entries, address).pid),
    [3, 4],
  );
});

test("T8 a name that nobody has: near names, or all when none is near", () => {
  assert.match(failure("web").hint ?? "", /^near: web-ui$/);
  assert.match(failure("zzz").hint ?? "", /^there are: api, web-ui, twin, twin$/);
  assert.equal(failure("apj").code, "no_such_member");
});

test("R3 the old name of a renamed session says what it is called now", () => {
  const backend = session(9, "backend");
  const record = { ...backend.record, pid: 9, raw: { formerNames: ["?", { name: "server-api", until: 1 }] } };
  assert.throws(() => resolveMember([{ ...backend, record }], "server-api"), {
    code: "no_such_member",
    message: "server-api was renamed to backend",
    hint: /^write to "backend \[[0-9a-f]{6}\]"$/,
  });
});

test("a reachable session goes before an unreachable one of the same name; alone, the unreachable one is found", () => {
  assert.equal(resolveMember([session(5, "old", { gone: true }), session(6, "old")], "old").pid, 6);
  assert.equal(resolveMember(entries, "old").pid, 5);
});

test("N2 N3 names that look like something else are only names, and are shown inert", () => {
  const odd = ["/deploy", "..", "a b", 'x"y<z>', "作业-1", "name [ref]", "uds:/x", "--json"];
  const all = odd.map((name, index) => session(index + 10, name));
  for (const [index, name] of odd.entries()) assert.equal(resolveMember(all, name).pid, index + 10, name);
  assert.equal(resolveMember([session(1, "red\u001b[31m\u0007x")], "red x").pid, 1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there
  assert.doesNotMatch(failure("\u001b]0;title\u0007x").message, /\u001b|\u0007/);
});
