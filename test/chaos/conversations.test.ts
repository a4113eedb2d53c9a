import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildEnvelope } from "../../src/claude/envelope.ts";
import { userFrame } from "../../src/claude/frames.ts";
import { eventually } from "../support/eventually.ts";
import { pairOfMachines } from "../support/pair-of-machines.ts";
import type { TestSession } from "../support/test-machine.ts";

const timeout = 120_000;
const DEADLINE = { deadlineMs: 15_000 };

/** The mark that a session adds to the chain of what it answers to. */
function markOf(session: TestSession): string {
  return session.pid.toString(16).padStart(24, "0");
}

/** Answers what it heard last to another session, as Claude Code does: with its mark, and not at all if that is there already. */
async function passOn(session: TestSession, to: string): Promise<boolean> {
  const chain = session.messages.at(-1)?.envelope.hopChain?.split(",") ?? [];
  const mark = markOf(session);
  if (chain.includes(mark)) return false;
  const hopChain = [...chain, mark].join(",");
  const content = buildEnvelope({ from: session.address, hopChain, fromName: session.name }, "pass it on");
  await session.order({ op: "write", to, frame: userFrame({ from: session.address, content }) });
  return true;
}

test("T10 a ring of three sessions over two machines: the hop chain crosses each time, and the guard ends it", {
  timeout,
}, async (context) => {
  const { laptop, server, webUi, api } = await pairOfMachines(context);
  const docs = await server.session("docs");
  await Promise.all([laptop.mirror("server-docs"), webUi]);
  const ring = [
    { from: webUi, to: "server-api", next: api },
    { from: api, to: "docs", next: docs },
    { from: docs, to: "laptop-web-ui", next: webUi },
  ];
  for (const { from, to, next } of ring) {
    assert.equal(await passOn(from, to), true);
    await eventually(() => next.messages.length === 1, DEADLINE);
  }
  assert.equal(webUi.messages[0]?.envelope.hopChain, [webUi, api, docs].map(markOf).join(","));
  assert.equal(await passOn(webUi, "server-api"), false);
});

test("T11 receipts and notices that get lost bring no receipt and no notice", { timeout }, async (context) => {
  const { laptop, webUi } = await pairOfMachines(context, { grace_seconds: 1 });
  laptop.cut();
  const receipt = { type: "control", action: "peer_message_status", status: "delivered", orig_msg_id: "m", msgV: 1, msg_id: "r" };
  const notice = { type: "control", action: "peer_idle_notice", state: "idle", orig_msg_id: "s", msgV: 1, msg_id: "n" };
  for (const frame of [receipt, notice]) await webUi.order({ op: "write", to: "server-api", frame });
  const [messageId] = await webUi.send("server-api", "the one that is told");
  await eventually(() => laptop.names().join() === "web-ui", DEADLINE);
  await eventually(() => webUi.receipts(messageId).length === 1, DEADLINE);
  assert.equal(webUi.frames.length, 1);
});

test("what is written while a machine's last senders are told does not keep its mirrors for ever", { timeout }, async (context) => {
  const { laptop, webUi } = await pairOfMachines(context, { grace_seconds: 1 });
  laptop.cut();
  // Somebody writes until the mirror is gone.
  const ids: string[] = [];
  for (let count = 0; count < 5_000; count += 1) {
    try {
      ids.push(...(await webUi.send("server-api", `message ${count}`)));
    } catch {
      break;
    }
  }
  await eventually(() => laptop.names().join() === "web-ui", DEADLINE);
  await eventually(() => ids.every((id) => webUi.receipts(id).length === 1), DEADLINE);
});
