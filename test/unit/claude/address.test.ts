import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddress, requireSocket } from "../../../src/claude/address.ts";

const addresses: readonly (readonly [string, unknown])[] = [
  ["uds:/run/user/1500/cc-socks/60.sock", { kind: "socket", socketPath: "/run/user/1500/cc-socks/60.sock" }],
  ["/tmp/cc-socks/60.sock", { kind: "socket", socketPath: "/tmp/cc-socks/60.sock" }],
  ["bridge:session_01Abc", { kind: "bridge", id: "session_01Abc" }],
  ["did:web:example.org", { kind: "did", did: "did:web:example.org" }],
  ["\\\\.\\pipe\\cc-60", { kind: "pipe", pipe: "\\\\.\\pipe\\cc-60" }],
  ["uds:\\\\.\\pipe\\cc-60", { kind: "pipe", pipe: "\\\\.\\pipe\\cc-60" }],
  ["uds:relative.sock", undefined],
  ["relative.sock", undefined],
  ["bridge:", undefined],
  ["web-ui", undefined],
  ["", undefined],
];

for (const [text, expected] of addresses) {
  test(`${JSON.stringify(text)} is ${expected === undefined ? "no address" : JSON.stringify(expected)}`, () => {
    assert.deepEqual(parseAddress(text), expected);
  });
}

for (const [text, words] of [
  ["bridge:session_01\u001b[2J", /^bridge:session_01 .*cloud/],
  ["did:web:example.org", /^did:web:example\.org .*nothing resolves/],
  ["\\\\.\\pipe\\cc-60", /named pipe of Windows/],
] as const) {
  test(`${JSON.stringify(text)} is refused by its kind`, () => {
    const address = parseAddress(text);
    assert.ok(address);
    assert.throws(() => requireSocket(address), { code: "undeliverable", message: words });
  });
}
