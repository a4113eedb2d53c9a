import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Arrivals } from "../../../src/link/arrivals.ts";
import { Outbox, type Outcome } from "../../../src/link/outbox.ts";
import type { SequencedOp } from "../../../src/link/protocol.ts";

function frame(text: string) {
  return { op: "frame" as const, from: { member: "a" }, to: "b", frame: { type: "user", text } };
}

function textOf(op: SequencedOp | undefined): unknown {
  return op?.op === "frame" ? op.frame["text"] : undefined;
}

function drain(outbox: Outbox): SequencedOp[] {
  const ops: SequencedOp[] = [];
  for (let op = outbox.next(); op; op = outbox.next()) ops.push(op);
  return ops;
}

test("sends in order, and again from where the other side stopped receiving", () => {
  const outbox = new Outbox();
  for (const text of ["one", "two", "three"]) void outbox.addFrame(frame(text));
  assert.deepEqual(drain(outbox).map(textOf), ["one", "two", "three"]);
  outbox.resume({ stream: outbox.stream, seq: 1 });
  assert.deepEqual(drain(outbox).map(textOf), ["two", "three"]);
});

test("settles each frame with the outcome that is reported for it, once", async () => {
  const outbox = new Outbox();
  const one = outbox.addFrame(frame("one"));
  const two = outbox.addFrame(frame("two"));
  drain(outbox);
  outbox.settle(outbox.stream, 2, { state: "undeliverable", reason: "gone" });
  outbox.settle(outbox.stream, 2, { state: "written" });
  outbox.settle("another", 1, { state: "refused" });
  outbox.settle(outbox.stream, 1, { state: "written" });
  assert.deepEqual(await two, { state: "undeliverable", reason: "gone" });
  assert.deepEqual(await one, { state: "written" });
  assert.equal(outbox.pendingFrames, 0);
});

test("when the other daemon is another process: what was sent is unconfirmed, what was not goes out in a new stream", async () => {
  const outbox = new Outbox();
  const taken = outbox.addFrame(frame("taken"));
  const sent = outbox.addFrame(frame("sent"));
  outbox.next();
  outbox.next();
  outbox.acknowledged(1);
  const unsent = outbox.addFrame(frame("unsent"));
  const before = outbox.stream;
  outbox.resume(null);
  assert.equal((await taken).state, "unconfirmed");
  assert.equal((await sent).state, "unconfirmed");
  assert.notEqual(outbox.stream, before);
  const [again] = drain(outbox);
  assert.equal(textOf(again), "unsent");
  assert.equal(again?.seq, 1);
  outbox.settle(outbox.stream, 1, { state: "written" });
  assert.equal((await unsent).state, "written");
});

test("when it is given up: what was never sent is known to be undelivered, the rest is not known", async () => {
  const outbox = new Outbox();
  const sent = outbox.addFrame(frame("sent"));
  outbox.next();
  const unsent = outbox.addFrame(frame("unsent"));
  outbox.abandon("laptop was away too long");
  assert.equal((await sent).state, "unconfirmed");
  assert.deepEqual(await unsent, { state: "undeliverable", reason: "laptop was away too long" });
});

test("is bounded in bytes and in entries, and says so at once", async () => {
  const outbox = new Outbox({ maxBytes: 200, maxEntries: 3 });
  assert.equal((await outbox.addFrame(frame("x".repeat(300)))).state, "undeliverable");
  for (const text of ["1", "2", "3"]) void outbox.addFrame(frame(text));
  assert.equal((await outbox.addFrame(frame("4"))).state, "undeliverable");
  assert.equal(drain(outbox).length, 3);
  outbox.acknowledged(3);
  void outbox.addFrame(frame("5"));
  assert.deepEqual(drain(outbox).map(textOf), ["5"]);
});

test("what is held waits, unnumbered, while the rest goes past it; released it goes out in order", async () => {
  const outbox = new Outbox({ maxBytes: 1_000, maxEntries: 4 });
  const of = (text: string) => ({ op: "outcome" as const, of: 1, stream: text, state: "written" as const });
  void outbox.addFrame(frame("one"));
  drain(outbox);
  void outbox.addFrame(frame("two"));
  outbox.addOutcome(of("theirs"));
  outbox.hold(({ op }) => op === "frame");
  void outbox.addFrame(frame("three"));
  assert.deepEqual(
    drain(outbox).map(({ op, seq }) => [op, seq]),
    [["outcome", 2]],
  );
  assert.equal((await outbox.addFrame(frame("one too many"))).state, "undeliverable");
  outbox.acknowledged(2);
  outbox.settle(outbox.stream, 1, { state: "written" });
  assert.ok(outbox.isQuiet);
  outbox.release();
  assert.deepEqual(
    drain(outbox).map((op) => [textOf(op), op.seq]),
    [
      ["two", 3],
      ["three", 4],
    ],
  );
  outbox.hold(() => true);
  const given = outbox.addFrame(frame("held"));
  outbox.abandon("gone for good");
  assert.deepEqual(await given, { state: "undeliverable", reason: "gone for good" });
});

/** Two ends and a wire that breaks anywhere: what is on it is lost in both directions, and so are acknowledgements. */
test("T9 over any sequence of cuts every frame arrives once and in order, and its outcome is told", async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constant("send" as const) },
    { weight: 4, arbitrary: fc.constant("carry" as const) },
    { weight: 2, arbitrary: fc.constant("ack" as const) },
    { weight: 1, arbitrary: fc.constant("cut" as const) },
    { weight: 1, arbitrary: fc.constant("hold" as const) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 200 }), async (steps) => {
      const outbox = new Outbox();
      const arrivals = new Arrivals();
      const arrived: unknown[] = [];
      const outcomes: Promise<Outcome>[] = [];
      const reports: number[] = [];
      const carry = () => {
        const op = outbox.next();
        if (!op) return;
        if (arrivals.take(op.seq) !== "new") return;
        arrived.push(textOf(op));
        reports.push(op.seq);
      };
      const reconnect = () => {
        const received = arrivals.received;
        outbox.release();
        outbox.resume(received);
        arrivals.follow(outbox.stream);
      };
      reconnect();
      for (const action of steps) {
        if (action === "send") outcomes.push(outbox.addFrame(frame(String(outcomes.length))));
        else if (action === "carry") carry();
        else if (action === "hold") outbox.hold(() => true);
        else if (action === "ack") outbox.acknowledged(arrivals.received?.seq ?? 0);
        else {
          // Written into the wire, lost with it.
          outbox.next();
          reconnect();
        }
      }
      reconnect();
      for (let left = outcomes.length; left >= 0; left -= 1) carry();
      for (const seq of reports) outbox.settle(outbox.stream, seq, { state: "written" });
      assert.deepEqual(
        arrived,
        outcomes.map((_, index) => String(index)),
      );
      for (const outcome of await Promise.all(outcomes)) assert.equal(outcome.state, "written");
    }),
    { numRuns: 300 },
  );
});
