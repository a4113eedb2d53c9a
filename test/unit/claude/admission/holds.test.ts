import assert from "node:assert/strict";
import { test } from "node:test";
import { Holds, MAX_HELD } from "../../../../src/claude/admission/holds.ts";
import { ManualClock } from "../../../support/manual-clock.ts";

function openHolds() {
  const clock = new ManualClock();
  const expired: string[] = [];
  return { clock, expired, holds: new Holds<string>({ clock, onExpire: (message) => expired.push(message) }) };
}

test("a held message is taken once, and expires after 25 min if nobody takes it", () => {
  const { clock, expired, holds } = openHolds();
  holds.add("1", "first");
  clock.advance(60_000);
  holds.add("2", "second");
  assert.deepEqual([holds.take("1"), holds.take("1"), holds.take("3")], ["first", undefined, undefined]);
  clock.advance(25 * 60_000 - 1);
  assert.deepEqual(expired, []);
  clock.advance(1);
  assert.deepEqual([expired, holds.take("2"), clock.pendingTimers], [["second"], undefined, 0]);
});

test("of too many the oldest expires; at the end all do", () => {
  const { clock, expired, holds } = openHolds();
  for (let index = 0; index <= MAX_HELD; index += 1) holds.add(String(index), String(index));
  assert.deepEqual([expired, holds.size], [["0"], MAX_HELD]);
  holds.close();
  assert.deepEqual([expired.length, holds.size, clock.pendingTimers], [MAX_HELD + 1, 0, 0]);
});
