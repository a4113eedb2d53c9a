import { setTimeout as delay } from "node:timers/promises";
import type { Host } from "../../hosts/harness/host.ts";
import type { ChaosSession } from "./chaos-session.ts";
import type { FaultKind, PlannedFault } from "./plan.ts";
import { STATE, type World } from "./world.ts";

/** Commands of our processes on a host. */
const DAEMON = / daemon$/;
const MIRROR = / mirror$/;
const SERVE = / serve --nonce /;

type Fault = (world: World, host: Host, planned: PlannedFault) => Promise<void>;

/** Each is over, and healed, when its promise settles. One that finds nothing to hit does nothing. */
const faults: Record<FaultKind, Fault> = {
  "cut cable": async (world, host, { durationMs }) => {
    await host.cut();
    await delay(durationMs);
    await host.heal();
    world.healedAt.push({ host: host.name, at: Date.now(), lastedMs: durationMs });
  },
  "slow wire": (world, host, { durationMs, which }) => onWire(world, host, { delayMs: 20 + which * 150, pieceBytes: 700 }, durationMs),
  "stalled wire": (world, host, { durationMs }) => onWire(world, host, { stalled: true }, durationMs),
  "reset wire": async (world, host) => world.wires.get(host.name)?.set({ reset: true }),
  "stop daemon": (_world, host, planned) => stop(host, DAEMON, planned),
  "stop serve": (_world, host, planned) => stop(host, SERVE, planned),
  "stop sshd connection": (_world, host, planned) => pause(host, connectionPids(host), planned),
  "stop mirror": (_world, host, planned) => stop(host, MIRROR, planned),
  "stop session": async (world, host, { durationMs, which }) => {
    const session = chooseSession(world, host, which);
    await session?.signal("SIGSTOP");
    await delay(durationMs);
    await session?.signal("SIGCONT").catch(() => undefined);
  },
  "kill daemon": async (world, host, { durationMs, which }) => {
    await kill(host, DAEMON, which);
    await delay(durationMs);
    await world.startDaemon(host);
  },
  "kill serve": (_world, host, { which }) => kill(host, SERVE, which),
  "kill sshd connection": async (_world, host, { which }) => signal(host, choose(connectionPids(host), which), "SIGKILL"),
  "kill mirror": (_world, host, { which }) => kill(host, MIRROR, which),
  "kill session": (world, host, planned) => replaceSession(world, host, planned, (session) => session.kill9()),
  "end session": (world, host, planned) => replaceSession(world, host, planned, (session) => session.close()),
  "restart sshd": async (_world, host, { durationMs }) => {
    await host.stopSshd();
    await delay(durationMs);
    await host.restartSshd();
  },
  "fill disk": async (_world, host, { durationMs }) => {
    const file = `${STATE}/filler`;
    await host.exec("/bin/sh", ["-c", `dd if=/dev/zero of=${file} bs=64k 2>/dev/null; true`]);
    await delay(durationMs);
    await host.exec("rm", ["-f", file]);
  },
};

export async function applyFault(world: World, planned: PlannedFault): Promise<void> {
  await faults[planned.kind](world, world.host(planned.host), planned);
}

async function onWire(
  world: World,
  host: Host,
  state: Parameters<NonNullable<ReturnType<World["wires"]["get"]>>["set"]>[0],
  durationMs: number,
) {
  const wire = world.wires.get(host.name);
  wire?.set(state);
  await delay(durationMs);
  wire?.set({});
}

async function replaceSession(
  world: World,
  host: Host,
  { durationMs, which }: PlannedFault,
  end: (session: ChaosSession) => Promise<void>,
): Promise<void> {
  const session = chooseSession(world, host, which);
  if (!session) return;
  await end(session);
  await delay(durationMs);
  world.go(await world.addSession(host, session.name.replace(/-\d+$/, "")));
}

function chooseSession(world: World, host: Host, which: number): ChaosSession | undefined {
  return choose(
    world.living.filter((session) => session.host === host),
    which,
  );
}

function pidsOf(host: Host, command: RegExp): number[] {
  return host.processes().flatMap((entry) => (!entry.zombie && command.test(entry.command) ? [entry.pid] : []));
}

/** Without the server that listens. */
function connectionPids(host: Host): number[] {
  return host.sshdPids.slice(1);
}

async function kill(host: Host, command: RegExp, which: number): Promise<void> {
  await signal(host, choose(pidsOf(host, command), which), "SIGKILL");
}

function stop(host: Host, command: RegExp, planned: PlannedFault): Promise<void> {
  return pause(host, pidsOf(host, command), planned);
}

async function pause(host: Host, pids: readonly number[], { durationMs, which }: PlannedFault): Promise<void> {
  const pid = choose(pids, which);
  await signal(host, pid, "SIGSTOP");
  await delay(durationMs);
  await signal(host, pid, "SIGCONT");
}

/** It may have ended by itself meanwhile. */
async function signal(host: Host, pid: number | undefined, name: NodeJS.Signals): Promise<void> {
  if (pid !== undefined) await host.kill(pid, name).catch(() => undefined);
}

function choose<Item>(items: readonly Item[], which: number): Item | undefined {
  return items[Math.floor(which * items.length)];
}
