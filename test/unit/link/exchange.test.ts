import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import type { LinkConnection } from "../../../src/link/connection.ts";
import { Exchange } from "../../../src/link/exchange.ts";
import type { LinkOp } from "../../../src/link/protocol.ts";
import { eventually } from "../../support/eventually.ts";

const frame = { from: { member: "a" }, to: "b", frame: { type: "user" } };

/** Two exchanges and what is between them: an op that `passes` refuses is lost. */
function joined(passes: (op: LinkOp) => boolean) {
  const written: unknown[] = [];
  const ours = new Exchange({ clock: systemClock, onFrame: async () => ({ state: "written" }) });
  const theirs = new Exchange({
    clock: systemClock,
    onFrame: async (op) => {
      written.push(op.seq);
      return { state: "written" };
    },
  });
  const wire = (to: Exchange) =>
    ({
      send: (op: LinkOp) => {
        if (passes(op)) queueMicrotask(() => to.receive(op));
        return true;
      },
      abandon: () => undefined,
      pause: () => undefined,
      resume: () => undefined,
    }) as unknown as LinkConnection;
  const connect = () => {
    for (const side of [ours, theirs]) side.suspend();
    ours.open(wire(theirs));
    theirs.open(wire(ours));
  };
  return { ours, written, connect };
}

test("T9 what tells of a message that was written is lost, then the link resumes: one copy, and its outcome is known", async () => {
  let isLossy = true;
  const { ours, written, connect } = joined((op) => !isLossy || (op.op !== "ack" && op.op !== "outcome"));
  connect();
  let sent = 0;
  const outcome = ours.send(frame, () => {
    sent += 1;
  });
  await eventually(() => written.length === 1);
  isLossy = false;
  connect();
  assert.equal((await outcome).state, "written");
  assert.deepEqual([written, sent], [[1], 1]);
});

test("a frame that is nested too deeply to be written again is refused by the one side and handled by the other, and throws at neither", async () => {
  const deep = JSON.parse(`{"type":"user","7":${"[".repeat(20_000)}${"]".repeat(20_000)}}`);
  const { ours, written, connect } = joined(() => true);
  connect();
  assert.equal((await ours.send({ ...frame, frame: deep }, () => undefined)).state, "refused");
  const handled = Promise.withResolvers<void>();
  const reader = new Exchange({
    clock: systemClock,
    onFrame: async () => {
      handled.resolve();
      return { state: "undeliverable" };
    },
  });
  reader.receive({ op: "stream", stream: "s" });
  reader.receive({ op: "frame", seq: 1, ...frame, frame: deep });
  await handled.promise;
  assert.deepEqual(written, []);
});

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
