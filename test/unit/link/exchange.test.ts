import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../../src/core/clock.ts";
import type { LinkConnection } from "../../../src/link/connection.ts";
import { Exchange } from "../../../src/link/exchange.ts";
import { DRAIN_FEATURE, type LinkOp } from "../../../src/link/protocol.ts";
import { eventually } from "../../support/eventually.ts";

const frame = { from: { member: "a" }, to: "b", frame: { type: "user" } };

interface JoinedOptions {
  readonly features?: readonly string[];
  readonly beforeWriting?: () => Promise<void>;
  /** One that was joined with another before. */
  readonly theirs?: Exchange;
}

/** Two exchanges and what is between them: an op that `passes` refuses is lost. */
function joined(passes: (op: LinkOp) => boolean, options: JoinedOptions = {}) {
  const { features = [DRAIN_FEATURE], beforeWriting = async () => undefined } = options;
  const written: unknown[] = [];
  const hello = { features: [...features] };
  const ours = new Exchange({ clock: systemClock, onFrame: () => beforeWriting().then(() => ({ state: "written" })) });
  const onFrame = async ({ seq }: { seq: number }) => {
    await beforeWriting();
    written.push(seq);
    return { state: "written" } as const;
  };
  const theirs = options.theirs ?? new Exchange({ clock: systemClock, onFrame });
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
    ours.open(wire(theirs), hello);
    theirs.open(wire(ours), hello);
  };
  return { ours, theirs, written, connect };
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

const message = { ...frame, frame: { type: "user", message: { role: "user", content: "x" } } };
const receipt = { ...frame, frame: { type: "control", action: "peer_message_status", status: "held", orig_msg_id: "m" } };
const unsent = () => assert.fail("sent to a daemon that ends");

test("a planned end waits until what had been sent either way is written and known to be; nothing new is taken, receipts are", async () => {
  const gate = Promise.withResolvers<void>();
  const { ours, theirs, connect } = joined(() => true, { beforeWriting: () => gate.promise });
  connect();
  const outcomes = [ours.send(message, () => undefined), theirs.send(message, () => undefined)];
  const order: string[] = [];
  const drained = ours.drain("ccm is restarting").then(() => order.push("drained"));
  assert.deepEqual(await ours.send(message, unsent), { state: "undeliverable", reason: "ccm is restarting" });
  outcomes.push(ours.send(receipt, () => undefined));
  const known = Promise.all(outcomes).then((all) => {
    order.push("known");
    return all;
  });
  await new Promise(setImmediate);
  gate.resolve();
  assert.deepEqual(
    (await known).map(({ state }) => state),
    ["written", "written", "written"],
  );
  await drained;
  assert.deepEqual(order, ["known", "drained"]);
});

test("what is written to a machine whose daemon ends by plan waits for its next one, in order; receipts go to the old one", async () => {
  const { ours, theirs, connect } = joined(() => true);
  connect();
  await ours.drain("ccm is restarting");
  const before: number[] = [];
  const held = [1, 2].map((number) => theirs.send(message, () => before.push(number)));
  assert.equal((await theirs.send(receipt, () => undefined)).state, "written");
  assert.deepEqual(before, []);
  const { ours: next, connect: connectNext } = joined(() => true, { theirs });
  connectNext();
  assert.deepEqual(
    (await Promise.all(held)).map(({ state }) => state),
    ["written", "written"],
  );
  assert.deepEqual(before, [1, 2]);
  next.suspend();
});

test("a link that breaks before the planned end has come goes on with what was held back", async () => {
  const { ours, theirs, connect } = joined(() => true);
  connect();
  await ours.drain("ccm is restarting");
  const held = theirs.send(message, () => undefined);
  connect();
  assert.equal((await held).state, "written");
});

test("a build that cannot hold back is not asked to, and what it was sent is still waited for", async () => {
  const said: string[] = [];
  const { ours, connect } = joined(({ op }) => said.push(op) > 0, { features: [] });
  connect();
  const outcome = ours.send(message, () => undefined);
  await ours.drain("ccm is restarting");
  assert.equal((await outcome).state, "written");
  assert.ok(!said.includes("drain"));
});
