import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import type { TrailLine } from "../../../src/audit/read-trail.ts";
import { plainStyle } from "../../../src/cli/output/style.ts";
import { describeTrace } from "../../../src/cli/trace/describe-trace.ts";
import { findMessage } from "../../../src/cli/trace/find-message.ts";
import type { MachineTrace } from "../../../src/daemon/control-protocol.ts";
import { ChatHome } from "./fixtures/chat-home.ts";

const id = "3f2a9c1e-8a51-4c1e-9d41-0d0f7f0a3c11";

function line(node: string, second: number, state: string, more: Record<string, unknown> = {}): TrailLine {
  // Without a time zone: local, as it is shown.
  return {
    ts: `2026-01-31T14:05:0${second}.123`,
    node,
    ev: "state",
    msg_id: id,
    peer: node === "laptop" ? "server" : "laptop",
    state,
    ...more,
  };
}

const machines: readonly MachineTrace[] = [
  {
    machine: "laptop",
    lines: [
      line("laptop", 1, "queued"),
      line("laptop", 1, "sent"),
      line("laptop", 2, "written"),
      line("laptop", 2, "written", { ev: "relay_out", ok: true, sender: "web-ui", preview: "is v2 out?" }),
      line("laptop", 9, "refused", { reason: "no \u001b[31mmail" }),
    ],
  },
  { machine: "server", lines: [line("server", 2, "written"), line("server", 2, "written", { ev: "relay_in", ok: true })] },
  { machine: "gpu", lines: [], problem: "gpu is not linked now" },
];

test("T7 a trace tells each state with its time, machine by machine, and who could not be asked", () => {
  const found = findMessage(machines, "3f2a");
  assert.deepEqual([found.messageId, found.state], [id, "refused"]);
  assert.equal(
    describeTrace(found, plainStyle),
    [
      `${id}  from web-ui  «is v2 out?»`,
      "laptop  2026-01-31 14:05:01.123  queued   to server",
      "        2026-01-31 14:05:01.123  sent     to server",
      "        2026-01-31 14:05:02.123  written  to server",
      "        2026-01-31 14:05:09.123  refused  to server: no mail",
      "server  2026-01-31 14:05:02.123  written  from laptop",
      "gpu                              ?        gpu is not linked now",
    ].join("\n"),
  );
});

test("an id that several messages begin with is refused with theirs; one that is complete is not", () => {
  const [first, second] = [`${id}`, `${id}0`];
  const several = [{ machine: "laptop", lines: [first, second].map((msg_id) => ({ ...line("laptop", 1, "sent"), msg_id })) }];
  assert.throws(() => findMessage(several, "3f2a"), {
    code: "ambiguous_name",
    message: "2 messages begin with 3f2a",
    hint: new RegExp(second),
  });
  assert.equal(findMessage(several, first).messageId, first);
});

test("a message that nobody knows: said, with who could not be asked", () => {
  const silent = machines.map((machine) => ({ ...machine, lines: [] }));
  assert.throws(() => findMessage(silent, "beef"), { code: "no_such_message", hint: "gpu could not be asked: gpu is not linked now" });
});

test("without a daemon the trail of this machine is read, older files included", async (context) => {
  const home = new ChatHome(context);
  fs.mkdirSync(home.paths.state, { recursive: true });
  fs.writeFileSync(`${home.paths.auditFile}.1`, `${JSON.stringify(line("laptop", 1, "queued"))}\n`);
  fs.writeFileSync(home.paths.auditFile, `half a li\n${JSON.stringify(line("laptop", 2, "undeliverable"))}\n`);
  const [json, none, short] = await Promise.all([
    home.ccm(["trace", "3f2a9", "--json"]),
    home.ccm(["trace", "beef"]),
    home.ccm(["trace", "3f2"]),
  ]);
  const report = JSON.parse(json.stdout);
  assert.deepEqual([json.exitCode, report.messageId, report.state, report.machines[0].lines.length], [0, id, "undeliverable", 2]);
  assert.deepEqual([none.exitCode, short.exitCode], [19, 2]);
  assert.match(none.stderr, /^ccm: no trail has a message beef\n.*no daemon is running here/);
});
