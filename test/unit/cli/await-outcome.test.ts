import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { awaitOutcome, RECEIPT_WINDOW_MS } from "../../../src/cli/message/await-outcome.ts";
import type { MessageState } from "../../../src/link/message-state.ts";
import { MessageStates } from "../../../src/link/message-states.ts";
import { ManualClock } from "../../support/manual-clock.ts";

/** A wait of a minute; what it came to is in `outcome` from the moment when it did. */
function wait({ receiptsCome = true } = {}) {
  const clock = new ManualClock();
  const states = new MessageStates({ clock });
  const outcome: (MessageState | undefined)[] = [];
  const waiting = awaitOutcome(states, { waitMs: 60_000, receiptsCome, clock }).then((last) => void outcome.push(last?.state));
  const advance = async (ms: number) => {
    clock.advance(ms);
    await turn();
  };
  const add = async (...names: MessageState[]) => {
    for (const state of names) states.add({ state });
    await turn();
  };
  return { clock, states, outcome, waiting, advance, add };
}

test("T1 a message that was written and of which no receipt comes is written", async () => {
  const { outcome, add, advance, clock } = wait();
  await add("queued", "sent", "written");
  await advance(RECEIPT_WINDOW_MS - 1);
  assert.deepEqual(outcome, []);
  await advance(1);
  assert.deepEqual(outcome, ["written"]);
  assert.equal(clock.pendingTimers, 0);
});

test("T6 one that is held is waited for to the end, and no longer than until its person has decided", async () => {
  const undecided = wait();
  await undecided.add("written", "held");
  await undecided.advance(59_999);
  assert.deepEqual(undecided.outcome, []);
  await undecided.advance(1);
  assert.deepEqual(undecided.outcome, ["held"]);
  const decided = wait();
  await decided.add("written", "held");
  await decided.advance(8_000);
  await decided.add("delivered", "denied");
  assert.deepEqual(decided.outcome, ["delivered"]);
  assert.equal(decided.clock.pendingTimers, 0);
});

test("a receipt that comes before the word that it was written is not taken back by it", async () => {
  const { outcome, add, advance, states } = wait();
  await add("sent", "held", "written");
  await advance(RECEIPT_WINDOW_MS);
  assert.deepEqual([outcome, states.current?.state], [[], "held"]);
  await add("expired");
  assert.deepEqual(outcome, ["expired"]);
});

test("where no receipts come, written is the end; what waits for the link is so at the end; what fails is thrown", async () => {
  const local = wait({ receiptsCome: false });
  await local.add("written");
  assert.deepEqual(local.outcome, ["written"]);
  const offline = wait();
  await offline.add("queued");
  await offline.advance(60_000);
  assert.deepEqual(offline.outcome, ["queued"]);
  const broken = wait();
  broken.states.fail(new Error("no daemon"));
  await assert.rejects(broken.waiting, { code: "internal", message: "no daemon" });
});

test("a message that is held was written, whichever is known first", async () => {
  const { states, add } = wait();
  await add("sent", "held", "written", "denied");
  assert.deepEqual(
    states.list.map(({ state }) => state),
    ["sent", "written", "held", "denied"],
  );
});
