import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DuplicateGuard } from "../../../../src/claude/admission/duplicate-guard.ts";
import { MAX_TRACKED_SENDERS, RateGuard } from "../../../../src/claude/admission/rate-guard.ts";
import { TokenBucket } from "../../../../src/claude/admission/token-bucket.ts";
import { ManualClock } from "../../../support/manual-clock.ts";

test("the same text of the same sender is a duplicate for 30 s; of another sender, or another text, it is not", () => {
  const clock = new ManualClock();
  const guard = new DuplicateGuard(clock);
  guard.remember("uds:/a", "hello");
  assert.deepEqual(
    [
      ["uds:/a", "hello"],
      ["uds:/b", "hello"],
      ["uds:/a", "hello "],
    ].map(([sender = "", body = ""]) => guard.isDuplicate(sender, body)),
    [true, false, false],
  );
  clock.advance(29_999);
  assert.equal(guard.isDuplicate("uds:/a", "hello"), true);
  clock.advance(1);
  assert.equal(guard.isDuplicate("uds:/a", "hello"), false);
});

test("sender and text are told apart wherever the boundary is", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (sender, body, otherSender, otherBody) => {
      fc.pre(sender !== otherSender || body !== otherBody);
      fc.pre(!sender.includes("\n") && !otherSender.includes("\n"));
      const guard = new DuplicateGuard(new ManualClock());
      guard.remember(sender, body);
      return guard.isDuplicate(sender, body) && !guard.isDuplicate(otherSender, otherBody);
    }),
  );
});

test("a sender has 30 messages at once and one more every 2 s; others have their own", () => {
  const clock = new ManualClock();
  const guard = new RateGuard(clock);
  const taken = (sender: string, count: number) => Array.from({ length: count }, () => guard.take(sender)).filter(Boolean).length;
  assert.equal(taken("a", 35), 30);
  assert.equal(taken("b", 1), 1);
  clock.advance(1_999);
  assert.equal(taken("a", 1), 0);
  clock.advance(1);
  assert.equal(taken("a", 2), 1);
  clock.advance(3_600_000);
  assert.equal(taken("a", 40), 30);
});

test("no more than 256 senders are counted; the one that has been silent longest is forgotten", () => {
  const guard = new RateGuard(new ManualClock(), { capacity: 1, refillPerSecond: 0.5 });
  for (let index = 0; index < MAX_TRACKED_SENDERS; index += 1) guard.take(`${index}`);
  guard.take("0");
  guard.take("one more");
  assert.equal(guard.trackedSenders, MAX_TRACKED_SENDERS);
  assert.deepEqual([guard.take("0"), guard.take("1")], [false, true]);
});

test("a bucket never gives more than its size and what came back meanwhile, and says truly when the next is there", () => {
  const step = fc.record({ waitMs: fc.integer({ min: 0, max: 20_000 }), takes: fc.integer({ min: 0, max: 50 }) });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const clock = new ManualClock();
      const bucket = new TokenBucket({ capacity: 30, refillPerSecond: 0.5 }, clock);
      let taken = 0;
      for (const { waitMs, takes } of steps) {
        clock.advance(waitMs);
        for (let index = 0; index < takes; index += 1) taken += bucket.take() ? 1 : 0;
        if (taken > 30 + clock.monotonicMs() * 0.0005 + 1e-6) return false;
      }
      clock.advance(bucket.waitMs);
      return bucket.take();
    }),
  );
});
