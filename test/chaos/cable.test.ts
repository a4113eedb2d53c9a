import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { daemonStatus, whyNoCcm } from "../hosts/harness/ccm.ts";
import { createNetwork } from "../hosts/harness/network.ts";
import { waitFor } from "../hosts/harness/wait-for.ts";
import { fateOf } from "./harness/ledger.ts";
import { watchTwins } from "./harness/run-chaos.ts";
import { World } from "./harness/world.ts";

const skip = whyNoCcm();
const timeout = 400_000;
const EVERY_MS = 100;
const SETTLE_MS = 60_000;
const DEAD_WITHIN_MS = 15_000;
const BACK_WITHIN_MS = 3_000;
/** For the looks of a test on a busy machine. */
const LOOK_MS = 1_000;

const isLinked = (world: World) => daemonStatus(world.host("laptop")).peers[0]?.state === "linked";

/** Cuts the laptop's cable; says how long it took to be noticed, and, healed, to be linked again. */
async function cutFor(world: World, ms: number): Promise<{ noticedMs: number | undefined; backMs: number }> {
  const laptop = world.host("laptop");
  const cutAtMs = performance.now();
  await laptop.cut();
  const noticed = waitFor(() => !isLinked(world), { what: "the cut to be noticed", deadlineMs: ms }).then(
    () => performance.now() - cutAtMs,
    () => undefined,
  );
  await delay(ms);
  const healedAtMs = performance.now();
  await laptop.heal();
  await waitFor(() => isLinked(world), { what: "the link", deadlineMs: 30_000 });
  return { noticedMs: await noticed, backMs: performance.now() - healedAtMs };
}

async function untilAllHaveAFate(world: World): Promise<void> {
  await Promise.all(world.living.map((session) => session.rest()));
  await waitFor(() => world.ledger.open(world).length === 0, { what: "every message's fate", deadlineMs: SETTLE_MS, pollMs: 200 });
}

async function report(context: TestContext, what: string, times: { noticedMs: number | undefined; backMs: number }) {
  const noticed = times.noticedMs === undefined ? "not noticed" : `noticed after ${(times.noticedMs / 1000).toFixed(1)} s`;
  context.diagnostic(`${what}: ${noticed}, linked again ${(times.backMs / 1000).toFixed(1)} s after it was healed`);
}

test("L1 cable cut for 5, 20 and 60 s, a message each 100 ms both ways: all once, in order; dead within 15 s, back within 3 s", {
  skip,
  timeout,
}, async (context) => {
  await using network = await createNetwork();
  const world = await World.start(network, {
    hosts: ["laptop", "server"],
    sessionsPerHost: 1,
    messageEveryMs: EVERY_MS,
    graceSeconds: 300,
  });
  const twins = watchTwins(world);
  for (const session of world.living) world.go(session);
  for (const seconds of [5, 20, 60]) {
    const times = await cutFor(world, seconds * 1000);
    await report(context, `${seconds} s`, times);
    if (seconds > 15)
      assert.ok((times.noticedMs ?? Number.POSITIVE_INFINITY) < DEAD_WITHIN_MS + LOOK_MS, `noticed after ${times.noticedMs} ms`);
    assert.ok(times.backMs < BACK_WITHIN_MS + LOOK_MS, `back after ${times.backMs} ms`);
    await delay(2_000);
  }
  await untilAllHaveAFate(world);
  const { messages } = world.ledger;
  context.diagnostic(`${messages.length} messages`);
  assert.deepEqual(
    messages.filter((message) => fateOf(message, world) !== "delivered" || message.unconfirmed > 0),
    [],
  );
  assert.deepEqual([world.ledger.outOfOrder(), world.ledger.strange, world.ledger.unheardOf, twins.stop()], [0, [], [], []]);
});

test("L1 cable cut for longer than the grace: whatever did not arrive is told, and the machines find each other again", {
  skip,
  timeout,
}, async (context) => {
  await using network = await createNetwork();
  const world = await World.start(network, { hosts: ["laptop", "server"], sessionsPerHost: 1, messageEveryMs: EVERY_MS, graceSeconds: 5 });
  for (const session of world.living) world.go(session);
  await report(context, "30 s", await cutFor(world, 30_000));
  await untilAllHaveAFate(world);
  await world.untilWhole();
  const fates = Object.groupBy(world.ledger.messages, (message) => fateOf(message, world));
  context.diagnostic(JSON.stringify(Object.fromEntries(Object.entries(fates).map(([fate, messages]) => [fate, messages?.length]))));
  assert.ok((fates.dropped?.length ?? 0) + (fates.unconfirmed?.length ?? 0) > 0);
  assert.deepEqual(
    Object.keys(fates).filter((fate) => !["delivered", "dropped", "unconfirmed", "failed"].includes(fate)),
    [],
  );
  assert.equal(world.ledger.outOfOrder(), 0);
});
