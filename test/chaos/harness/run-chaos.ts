import { setTimeout as delay } from "node:timers/promises";
import { ccm, daemonLog } from "../../hosts/harness/ccm.ts";
import { createNetwork } from "../../hosts/harness/network.ts";
import { waitFor } from "../../hosts/harness/wait-for.ts";
import { applyFault } from "./faults.ts";
import { leftovers } from "./leftovers.ts";
import { describeFault, type FaultKind, makePlan, type PlannedFault } from "./plan.ts";
import { makeReport, type Report } from "./report.ts";
import { World, type WorldOptions } from "./world.ts";

export interface ChaosOptions extends WorldOptions {
  readonly seed: number;
  readonly lengthMs: number;
  readonly faultEveryMs: number;
  readonly kinds?: readonly FaultKind[] | undefined;
  readonly say: (line: string) => void;
}

/** The longest grace, a delivery's deadline, and a busy machine. */
const SETTLE_MS = 90_000;
const LOOK_EVERY_MS = 1_000;

/** Traffic between hosts while faults happen by a plan; settles with what became of every message and what was left behind. */
export async function runChaos(options: ChaosOptions): Promise<Report> {
  const { seed, hosts, faultEveryMs, lengthMs, kinds, say } = options;
  const plan = makePlan({ seed, lengthMs, hosts, everyMs: faultEveryMs, kinds });
  say(`seed ${seed}, ${(lengthMs / 60_000).toFixed(1)} min, hosts ${hosts.join(", ")}, ${plan.length} faults planned:`);
  for (const fault of plan) say(describeFault(fault));
  await using network = await createNetwork();
  const world = await World.start(network, options);
  const linksAtFirst = world.linksUp();
  const watch = watchTwins(world);
  for (const session of world.living) world.go(session);
  await followPlan(world, plan, lengthMs, say);
  say("traffic and faults are over; waiting for what is under way");
  await Promise.all(world.living.map((session) => session.rest()));
  await waitFor(() => world.ledger.open(world).length === 0, { what: "every message's fate", deadlineMs: SETTLE_MS, pollMs: 500 }).catch(
    () => say("some messages have no fate"),
  );
  const wrong = await world.untilWhole().then(
    () => [],
    (error: Error) => [error.message],
  );
  const reconnects = (world.linksUp() - linksAtFirst) / 2;
  const twice = watch.stop();
  const undecided = makeReport(world, { reconnects, twice, wrong, left: [] });
  for (const session of world.living) await session.close();
  for (const host of hosts) await ccm(world.host(host), "down");
  const left = await waitFor(() => leftovers(world).length === 0, { what: "nothing to be left", deadlineMs: 10_000 }).then(
    () => [],
    () => leftovers(world),
  );
  if (undecided.offenders.length + left.length + wrong.length > 0) explain(world, undecided.offenders, say);
  return { ...undecided, left };
}

async function followPlan(world: World, plan: readonly PlannedFault[], lengthMs: number, say: (line: string) => void): Promise<void> {
  const startedMs = performance.now();
  const running: Promise<void>[] = [];
  for (const fault of plan) {
    await delay(Math.max(0, fault.atMs - (performance.now() - startedMs)));
    const problem = (error: unknown) => say(`the fault "${describeFault(fault).trim()}" failed: ${error}`);
    running.push(applyFault(world, fault).catch(problem));
  }
  await delay(Math.max(0, lengthMs - (performance.now() - startedMs)));
  await Promise.all(running);
}

/** Looks for sessions that are listed twice on a host at two looks in a row. */
export function watchTwins(world: World): { stop(): string[] } {
  const twice = new Set<string>();
  let before = new Set<string>();
  const timer = setInterval(() => {
    const now = new Set(
      world.hosts.flatMap((host) => {
        const mirrored = world.mirrored(host);
        return mirrored.filter((key, index) => mirrored.indexOf(key) !== index).map((key) => `${key} on ${host.name}`);
      }),
    );
    for (const key of now) if (before.has(key)) twice.add(key);
    before = now;
  }, LOOK_EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return [...twice];
    },
  };
}

/** The machines' own account of the messages that must not be. */
function explain(world: World, offenders: Report["offenders"], say: (line: string) => void): void {
  for (const { id, from, to } of offenders.slice(0, 20)) {
    say(`message ${id} from ${from} to ${to}:`);
    for (const host of world.hosts)
      for (const line of world.trailOf(host)) if (line.includes(id)) say(`  ${host.name}: ${line.slice(0, 300)}`);
  }
  for (const host of world.hosts) say(`log of ${host.name}:\n${daemonLog(host)}`);
}
