import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { JumpingClock } from "../support/jumping-clock.ts";
import { pairOfMachines } from "../support/pair-of-machines.ts";

const timeout = 120_000;
const HOUR_MS = 3_600_000;
const JUMPS_MS = [HOUR_MS, -2 * HOUR_MS, 24 * HOUR_MS, 6_000, -6_000];

for (const who of ["laptop", "server"] as const) {
  test(`L2 the clock of the ${who} is set, forth and back, under traffic: one link, every message once and in order`, {
    timeout,
  }, async (context) => {
    const clock = new JumpingClock();
    const machines = await pairOfMachines(context, { grace_seconds: 60 }, (machine) => {
      if (machine.label === who) machine.clock = clock;
    });
    const { laptop, webUi, api } = machines;
    const mirror = await laptop.mirror("server-api");
    const texts: string[] = [];
    const say = async () => {
      texts.push(`message ${texts.length}`);
      await Promise.all([webUi.send("server-api", texts.at(-1) ?? ""), api.send("laptop-web-ui", texts.at(-1) ?? "")]);
    };
    for (const jumpMs of JUMPS_MS) {
      clock.jump(jumpMs);
      // Long enough for the watches that look every second or three.
      const until = performance.now() + 4_000;
      while (performance.now() < until) await say();
    }
    for (const session of [webUi, api]) {
      await eventually(() => session.messages.length === texts.length, { deadlineMs: 15_000 });
      assert.deepEqual(
        session.messages.map(({ envelope }) => envelope.body),
        texts,
      );
    }
    assert.equal((await laptop.mirror("server-api")).pid, mirror.pid);
    const links = machines[who].trail().filter(({ ev }) => ev === "link_down");
    assert.deepEqual(links, []);
  });
}
