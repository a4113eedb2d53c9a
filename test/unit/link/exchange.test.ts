import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import { Exchange } from "../../../src/link/exchange.ts";

const frame = { from: { member: "a" }, to: "b", frame: { type: "user" } };

test("what comes after the exchange was abandoned is told as undeliverable at once, not held for ever", async () => {
  const exchange = new Exchange({ clock: systemClock, onFrame: async () => ({ state: "written" }) });
  const before = exchange.send(frame, () => undefined);
  exchange.abandon("the machine is gone");
  const after = exchange.send(frame, () => assert.fail("sent"));
  assert.deepEqual(
    [await before, await after],
    [
      { state: "undeliverable", reason: "the machine is gone" },
      { state: "undeliverable", reason: "the machine is gone" },
    ],
  );
});
