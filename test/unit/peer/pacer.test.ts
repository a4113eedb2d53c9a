import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Admission } from "../../../src/claude/admission/admission.ts";
import { buildEnvelope } from "../../../src/claude/envelope.ts";
import { userFrame } from "../../../src/claude/frames.ts";
import { Pacer } from "../../../src/peer/pacer.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));
const from = "uds:/tmp/cc-socks/1.sock";

function receiver(clock: ManualClock) {
  const admission = new Admission({ policy: "accept", clock });
  return (body: string) => {
    const frame = userFrame({ from, content: buildEnvelope({ from }, body) });
    return admission.judge({ frame, isSelfSent: false, ownToken: "f".repeat(24), sessionId: "", queued: 0 }).kind;
  };
}

async function advance(clock: ManualClock, ms: number): Promise<void> {
  clock.advance(ms);
  await settle();
}

test("of 60 sends at once a receiver with Claude Code's guard drops none, and they arrive in order", async () => {
  const clock = new ManualClock();
  const pacer = new Pacer(clock);
  const judge = receiver(clock);
  const arrived: number[] = [];
  const verdicts = new Set<string>();
  for (let index = 0; index < 60; index += 1) {
    void pacer.turn("api").then((endTurn) => {
      arrived.push(index);
      verdicts.add(judge(String(index)));
      endTurn();
    });
  }
  for (let second = 0; second < 80; second += 1) await advance(clock, 1_000);
  assert.deepEqual(
    arrived,
    Array.from({ length: 60 }, (_, index) => index),
  );
  assert.deepEqual([...verdicts], ["accept"]);
});

test("however messages come, a receiver whose clock began earlier or later drops none", async () => {
  const bursts = fc.array(fc.record({ count: fc.integer({ min: 1, max: 40 }), pauseMs: fc.integer({ min: 0, max: 30_000 }) }), {
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(bursts, async (plan) => {
      const clock = new ManualClock();
      const [pacer, judge] = [new Pacer(clock), receiver(clock)];
      let asked = 0;
      const verdicts: string[] = [];
      for (const { count, pauseMs } of plan) {
        for (let index = 0; index < count; index += 1) {
          const body = String(asked++);
          void pacer.turn("api").then((endTurn) => {
            verdicts.push(judge(body));
            endTurn();
          });
        }
        await settle();
        await advance(clock, pauseMs);
      }
      while (verdicts.length < asked) await advance(clock, 3_000);
      return verdicts.every((verdict) => verdict === "accept") && clock.pendingTimers === 0;
    }),
    { numRuns: 30 },
  );
});

test("none waits because of another target", async () => {
  const pacer = new Pacer(new ManualClock());
  const turns = Array.from({ length: 60 }, () => pacer.turn("api"));
  turns.forEach((turn) => void turn.then((endTurn) => endTurn()).catch(() => undefined));
  await pacer.turn("web");
  pacer.close();
});

test("a turn that has not ended keeps the next one of that target from coming", async () => {
  const pacer = new Pacer(new ManualClock());
  const endFirst = await pacer.turn("api");
  let isSecond = false;
  const second = pacer.turn("api").then(() => {
    isSecond = true;
  });
  await settle();
  assert.equal(isSecond, false);
  endFirst();
  await second;
});

test("at the end those that wait are told that nothing was written, and no timer is left", async () => {
  const clock = new ManualClock();
  const pacer = new Pacer(clock);
  const turns = Array.from({ length: 30 }, () => pacer.turn("api").then((endTurn) => endTurn()));
  await settle();
  pacer.close();
  const results = await Promise.allSettled(turns);
  assert.deepEqual(
    results.filter(({ status }) => status === "rejected").map((result) => result.status === "rejected" && result.reason.code),
    ["undeliverable", "undeliverable"],
  );
  await assert.rejects(pacer.turn("api"), { code: "undeliverable" });
  assert.equal(clock.pendingTimers, 0);
});
