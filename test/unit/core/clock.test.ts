import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";

test("a timer calls once, and one that was called off never", async () => {
  const calls: string[] = [];
  const callOff = systemClock.after(0, () => calls.push("called off"));
  callOff();
  await new Promise<void>((resolve) => systemClock.after(5, resolve));
  assert.deepEqual(calls, []);
});

test("monotonic time does not go back", () => {
  const before = systemClock.monotonicMs();
  assert.ok(systemClock.monotonicMs() >= before);
  assert.ok(Math.abs(systemClock.now() - Date.now()) < 1_000);
});
