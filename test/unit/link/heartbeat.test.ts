import assert from "node:assert/strict";
import { test } from "node:test";
import { Heartbeat } from "../../../src/link/heartbeat.ts";
import { ManualClock } from "../../support/manual-clock.ts";

function start() {
  const clock = new ManualClock();
  const seen: string[] = [];
  const heartbeat = new Heartbeat({
    clock,
    pingAfterMs: 3_000,
    deadAfterMs: 11_000,
    sendPing: () => seen.push(`ping at ${clock.monotonicMs()}`),
    onDead: () => seen.push(`dead at ${clock.monotonicMs()}`),
  });
  return { clock, seen, heartbeat };
}

test("pings only in silence", () => {
  const { clock, seen, heartbeat } = start();
  for (let step = 0; step < 10; step += 1) {
    clock.advance(2_900);
    heartbeat.life();
  }
  assert.deepEqual(seen, []);
  heartbeat.stop();
  assert.equal(clock.pendingTimers, 0);
});

test("calls a silent side dead within 15 s, once, and stops", () => {
  const { clock, seen } = start();
  clock.advance(60_000);
  assert.deepEqual(seen, ["ping at 3000", "ping at 6000", "ping at 9000", "dead at 12000"]);
  assert.equal(clock.pendingTimers, 0);
});

test("after a sleep it asks first, and is quick to give up", () => {
  const { clock, seen } = start();
  clock.advance(2_000);
  clock.jumpWall(3_600_000);
  clock.advance(1_000);
  assert.deepEqual(seen, ["ping at 3000"]);
  clock.advance(3_000);
  assert.deepEqual(seen, ["ping at 3000", "dead at 6000"]);
});

test("after a sleep an answer keeps the link", () => {
  const { clock, seen, heartbeat } = start();
  clock.jumpWall(3_600_000);
  clock.advance(3_000);
  heartbeat.life();
  clock.advance(2_900);
  heartbeat.life();
  clock.advance(2_900);
  assert.deepEqual(seen, ["ping at 3000"]);
  heartbeat.stop();
});
