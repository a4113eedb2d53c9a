import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveTarget } from "../../../src/ssh/ssh-target.ts";
import { parseTypedHost } from "../../../src/ssh/typed-host.ts";

test("takes apart what people type for ssh", () => {
  const cases: [string, string, string | undefined, number | undefined][] = [
    ["server", "server", undefined, undefined],
    ["me@server", "server", "me", undefined],
    ["me@server:2222", "server", "me", 2222],
    ["ssh://me@server:22/", "server", "me", 22],
    ["[::1]:22", "::1", undefined, 22],
    ["::1", "::1", undefined, undefined],
    ["fe80::1%eth0", "fe80::1%eth0", undefined, undefined],
    ["me@corp.example@jump", "jump", "me@corp.example", undefined],
    ["作业-1.local", "作业-1.local", undefined, undefined],
    ["a_b", "a_b", undefined, undefined],
  ];
  for (const [typed, host, user, port] of cases) assert.deepEqual(parseTypedHost(typed), { host, user, port }, typed);
});

test("S5 what could be an option, a shell word or terminal control is refused before anything runs", async () => {
  const bad = [
    "",
    "-oProxyCommand=x",
    "me@-v",
    "-l@host",
    "a b",
    "a\nb",
    "a\tb",
    "$(id)",
    "`id`",
    "a;b",
    "a'b",
    'a"b',
    "a\\b",
    "a|b",
    "a&b",
    "a>b",
    "*",
  ];
  bad.push(
    "a\u001b[31m",
    "a\u202eb",
    "host:",
    "host:0",
    "host:99999",
    "host:1:x",
    "@host",
    "me@",
    "[::1",
    "a/b",
    "x".repeat(400),
    "ssh://-x",
  );
  for (const typed of bad) {
    assert.throws(() => parseTypedHost(typed), { code: "usage" }, typed);
    await assert.rejects(resolveTarget(typed, { env: { PATH: "/nonexistent" } }), { code: "usage" }, typed);
  }
});
