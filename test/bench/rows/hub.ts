import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { ccm, ccmExecutable, whyNoCcm } from "../../hosts/harness/ccm.ts";
import type { Host } from "../../hosts/harness/host.ts";
import { createNetwork } from "../../hosts/harness/network.ts";
import { mirrorNames } from "../../hosts/harness/registry-files.ts";
import { waitFor } from "../../hosts/harness/wait-for.ts";
import type { Arrival } from "../programs/crowd.ts";
import type { Measurement, Row } from "../row.ts";
import { type Crowd, startCrowd } from "../support/two-hosts.ts";

const PEERS = 20;
const MEMBERS_EACH = 10;
const SETTLE_MS = 5_000;
const WINDOW_MS = 10_000;
/** One message to each peer a round: 100 a second. */
const ROUND_MS = 200;
const DEADLINE_MS = 180_000;

/** A hub that many machines dial: what its daemon needs while nobody says anything, and while it relays 100 messages a second. */
export const row: Row = {
  name: "hub",
  unavailable: () => whyNoCcm() || (!fs.existsSync("/proc/self/schedstat") && "needs schedstat"),
  run: measure,
};

async function measure(): Promise<readonly Measurement[]> {
  await using network = await createNetwork();
  const hub = await network.host("hub");
  const machines: Host[] = [];
  const crowds: Crowd[] = [];
  for (let number = 1; number <= PEERS; number += 1) {
    const machine = await network.host(`m${number}`, { sshd: false });
    machines.push(machine);
    crowds.push(await startCrowd(network, machine, "api", MEMBERS_EACH));
    machine.installCcm(ccmExecutable);
    await ccm(machine, "init", "--label", machine.name);
    await ccm(machine, "pair", "hub");
  }
  const operator = await startCrowd(network, hub, "operator");
  await waitFor(() => mirrorNames(hub).length === PEERS * MEMBERS_EACH, {
    what: `${PEERS * MEMBERS_EACH} mirrors on the hub`,
    deadlineMs: DEADLINE_MS,
    pollMs: 200,
    otherwise: () => String(mirrorNames(hub).length),
  });
  await delay(SETTLE_MS);
  const daemon = new DaemonUse(hub);
  await delay(WINDOW_MS);
  const idle = daemon.sample();
  const rate = await relay(operator, machines, crowds);
  const busy = daemon.sample();
  const of = `hub's daemon, ${PEERS} peers with ${PEERS * MEMBERS_EACH} members`;
  return [
    { what: `${of}, idle`, unit: "% of a core", samples: [idle.cpuPercent] },
    { what: `${of}, idle, PSS`, unit: "MB", samples: [idle.pssMb] },
    { what: "messages relayed by it", unit: "messages/s", samples: [rate] },
    { what: `${of}, relaying`, unit: "% of a core", samples: [busy.cpuPercent] },
    { what: `${of}, relaying, PSS`, unit: "MB", samples: [busy.pssMb] },
  ];
}

/** For the length of a window; throws unless every message arrives. Returns the rate that the machine kept up. */
async function relay(operator: Crowd, machines: readonly Host[], crowds: readonly Crowd[]): Promise<number> {
  const rounds = WINDOW_MS / ROUND_MS;
  const to = machines.map(({ name }) => `${name}-api-1`);
  const seconds = await operator.ask<number>({ op: "spread", to, rounds, roundMs: ROUND_MS });
  const sent = rounds * to.length;
  let arrived = 0;
  const all = async () => {
    for (const crowd of crowds) arrived += (await crowd.ask<Arrival[]>({ op: "arrivals" })).length;
    return arrived === sent;
  };
  await waitFor(all, { what: "every message", deadlineMs: 30_000, pollMs: 200, otherwise: () => `${arrived} of ${sent}` });
  return sent / seconds;
}

/** What the daemon of a host used since the last sample. */
class DaemonUse {
  readonly #host: Host;
  readonly #pid: number;
  #cpuNs: number;
  #atNs = process.hrtime.bigint();

  constructor(host: Host) {
    this.#host = host;
    const daemon = host.processes().find(({ command }) => command.split(" ")[1] === "daemon");
    if (!daemon) throw new Error(`no daemon runs on ${host.name}`);
    this.#pid = daemon.pid;
    this.#cpuNs = this.#readCpuNs();
  }

  sample(): { cpuPercent: number; pssMb: number } {
    const [cpuNs, atNs] = [this.#readCpuNs(), process.hrtime.bigint()];
    const cpuPercent = (100 * (cpuNs - this.#cpuNs)) / Number(atNs - this.#atNs);
    [this.#cpuNs, this.#atNs] = [cpuNs, atNs];
    const pss = /^Pss:\s+(\d+) kB$/m.exec(this.#host.readFile(`/proc/${this.#pid}/smaps_rollup`))?.[1];
    return { cpuPercent, pssMb: Number(pss) / 1024 };
  }

  /** User and system time of all threads. */
  #readCpuNs(): number {
    const tasks = this.#host.list(`/proc/${this.#pid}/task`);
    const times = tasks.map((task) => this.#host.readFile(`/proc/${this.#pid}/task/${task}/schedstat`).split(" ")[0]);
    return times.reduce((sum, time) => sum + Number(time), 0);
  }
}
