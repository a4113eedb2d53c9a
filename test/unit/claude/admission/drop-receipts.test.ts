import assert from "node:assert/strict";
import { test } from "node:test";
import { DropReceipts, GATHER_MS } from "../../../../src/claude/admission/drop-receipts.ts";
import type { ReceiptFrame } from "../../../../src/claude/frames.ts";
import { ManualClock } from "../../../support/manual-clock.ts";

const own = "uds:/tmp/cc-socks/1.sock";

function open() {
  const clock = new ManualClock();
  const told: (readonly [string, unknown, unknown, unknown])[] = [];
  const write = (sender: string, { drop_reason, orig_msg_id, dropped_msg_ids }: ReceiptFrame) =>
    void told.push([sender, drop_reason, orig_msg_id, dropped_msg_ids]);
  return { clock, told, drops: new DropReceipts({ clock, write }) };
}

test("of the first the sender is told at once, of those that follow it together, then of the next at once again", () => {
  const { clock, told, drops } = open();
  for (const id of ["1", "2", "3"]) drops.add(own, "a", "duplicate", id);
  assert.deepEqual(told, [["a", "duplicate", "1", []]]);
  clock.advance(GATHER_MS);
  assert.deepEqual(told.splice(0).slice(1), [["a", "duplicate", "2", ["2", "3"]]]);
  drops.add(own, "a", "duplicate", "4");
  assert.deepEqual(told.splice(0), [["a", "duplicate", "4", []]]);
  clock.advance(GATHER_MS);
  assert.deepEqual([told, clock.pendingTimers], [[], 0]);
});

test("each sender and each reason is told by itself; at the end nobody is left untold", () => {
  const { clock, told, drops } = open();
  drops.add(own, "a", "duplicate", "1");
  drops.add(own, "b", "duplicate", "2");
  drops.add(own, "a", "rate-limited", "3");
  drops.add(own, "a", "rate-limited", "4");
  assert.equal(told.splice(0).length, 3);
  drops.close(own);
  assert.deepEqual([told, clock.pendingTimers], [[["a", "rate-limited", "4", ["4"]]], 0]);
});

test("a flood is told of in receipts that each name a thousand messages at most", () => {
  const { told, drops } = open();
  for (let index = 0; index < 2_002; index += 1) drops.add(own, "a", "rate-limited", String(index));
  assert.deepEqual(
    told.map(([, , , ids]) => (ids as string[]).length),
    [0, 1_000, 0, 1_000],
  );
});
