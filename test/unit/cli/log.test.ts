import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import type { TrailLine } from "../../../src/audit/read-trail.ts";
import { describeEvent } from "../../../src/cli/log/describe-event.ts";
import { type LogRequest, logFilter } from "../../../src/cli/log/log-filter.ts";
import { parseTime } from "../../../src/cli/log/parse-time.ts";
import { plainStyle } from "../../../src/cli/output/style.ts";
import { ChatHome } from "./fixtures/chat-home.ts";

const nowMs = Date.parse("2026-01-31T12:00:00Z");
const line = (minutesAgo: number, fields: object): TrailLine => ({
  ts: new Date(nowMs - minutesAgo * 60_000).toISOString(),
  node: "laptop",
  ev: "send",
  ...fields,
});
const lines = [
  line(90, { ev: "join", member: "web-ui" }),
  line(30, { sender: "web-ui", to: "server-api", msg_id: "0123456789", state: "written", ok: true, preview: "hello \u001b[31mthere" }),
  line(20, { ev: "relay_out", peer: "server", msg_id: "0123456789", state: "written", ok: true }),
  line(5, { ev: "broadcast", sender: "api", targets: [{ to: "b", machine: "server" }], ok: false }),
];

test("the log is filtered by kind, machine, member, time and text", () => {
  const found = (request: LogRequest) => lines.filter(logFilter(request, nowMs)).map((one) => lines.indexOf(one));
  assert.deepEqual(found({}), [0, 1, 2, 3]);
  assert.deepEqual(found({ ev: ["join", "send"] }), [0, 1]);
  assert.deepEqual(found({ peer: "server" }), [2, 3]);
  assert.deepEqual(found({ member: "web-ui" }), [0, 1]);
  assert.deepEqual(found({ member: "b" }), [3]);
  assert.deepEqual(found({ since: "1h" }), [1, 2, 3]);
  assert.deepEqual(found({ since: "1h", until: "25m" }), [1]);
  assert.deepEqual(found({ grep: "HELLO" }), [1]);
});

test("a time is an age or a date; anything else is a mistake", () => {
  assert.equal(parseTime("10m", "--since", nowMs), nowMs - 600_000);
  assert.equal(parseTime("1.5h", "--since", nowMs), nowMs - 5_400_000);
  assert.equal(parseTime("2026-01-31T11:00:00Z", "--since", nowMs), nowMs - 3_600_000);
  assert.equal(parseTime("2026-01-31", "--since", nowMs), new Date(2026, 0, 31).getTime());
  assert.throws(() => parseTime("yesterday-ish", "--since", nowMs), { code: "usage" });
});

test("N3 an event is one inert line", () => {
  const shown = lines.map((one) => describeEvent(one, plainStyle).replace(/^\S+ \S+ /, ""));
  assert.equal(shown[0], "join         web-ui");
  assert.equal(shown[1], "send         web-ui → server-api [01234567] written hello there");
  assert.equal(shown[2], "relay_out    (server) [01234567] written");
  assert.equal(shown[3], "broadcast    api → 1 sessions failed");
});

test("ccm log shows the newest, oldest first; ccm config names what is wrong and keeps the file", async (context) => {
  const home = new ChatHome(context);
  fs.mkdirSync(home.paths.state, { recursive: true });
  fs.writeFileSync(home.paths.auditFile, `${lines.map((one) => JSON.stringify(one)).join("\n")}\n`);
  const { stdout } = await home.ccm(["log", "-n", "2", "--json"]);
  assert.deepEqual(
    stdout
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text).ev),
    ["relay_out", "broadcast"],
  );
  home.writeConfig({ label: "laptop", future: 1 });
  assert.equal((await home.ccm(["config", "set", "audit_preview_chars", "0"])).stdout, "0\n");
  assert.deepEqual(home.readConfig(), { label: "laptop", future: 1, audit_preview_chars: 0 });
  const bad = await home.ccm(["config", "set", "audit_preview_chars", "many"]);
  assert.deepEqual([bad.exitCode, /audit_preview_chars: .*number/.test(bad.stderr)], [3, true], bad.stderr);
  const unknown = await home.ccm(["config", "get", "audit_preview_char"]);
  assert.deepEqual([unknown.exitCode, /did you mean: audit_preview_chars/.test(unknown.stderr)], [2, true], unknown.stderr);
  assert.match((await home.ccm(["config", "list"])).stdout, /^label +"laptop" .*\ngrace_seconds +300 \(default\)/);
});
