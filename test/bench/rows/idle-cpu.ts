import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { whyNoCcm } from "../../hosts/harness/ccm.ts";
import type { Host } from "../../hosts/harness/host.ts";
import type { Measurement, Row } from "../row.ts";
import { pair, startCrowd, type TwoHosts, withTwoHosts } from "../support/two-hosts.ts";

const MEMBERS = 40;
const SETTLE_MS = 2_000;
const WINDOW_MS = 10_000;

/** What a daemon and its mirrors cost while nobody says anything. */
export const row: Row = {
  name: "idle-cpu",
  unavailable: () => whyNoCcm() || (!fs.existsSync("/proc/self/schedstat") && "needs schedstat"),
  run: () => withTwoHosts(measure),
};

async function measure(hosts: TwoHosts): Promise<readonly Measurement[]> {
  const { network, laptop, server } = hosts;
  await startCrowd(network, server, "api", MEMBERS);
  await pair(hosts, { laptop: MEMBERS, server: 0 });
  await delay(SETTLE_MS);
  const groups = { daemon: pidsOf(laptop, "daemon"), mirrors: pidsOf(laptop, "mirror") };
  const before = { daemon: cpuNs(laptop, groups.daemon), mirrors: cpuNs(laptop, groups.mirrors), at: process.hrtime.bigint() };
  await delay(WINDOW_MS);
  const elapsedNs = Number(process.hrtime.bigint() - before.at);
  const share = (nowNs: number, beforeNs: number) => [(100 * (nowNs - beforeNs)) / elapsedNs];
  return [
    { what: `idle daemon with ${MEMBERS} mirrors`, unit: "% of a core", samples: share(cpuNs(laptop, groups.daemon), before.daemon) },
    { what: `its ${MEMBERS} mirrors together`, unit: "% of a core", samples: share(cpuNs(laptop, groups.mirrors), before.mirrors) },
  ];
}

function pidsOf(host: Host, subcommand: string): number[] {
  const found = host.processes().filter(({ command }) => command.split(" ")[1] === subcommand);
  if (found.length === 0) throw new Error(`no ccm ${subcommand} runs on ${host.name}`);
  return found.map(({ pid }) => pid);
}

/** User and system time of all threads. */
function cpuNs(host: Host, pids: readonly number[]): number {
  return pids
    .flatMap((pid) => host.list(`/proc/${pid}/task`).map((task) => host.readFile(`/proc/${pid}/task/${task}/schedstat`)))
    .reduce((sum, text) => sum + Number(text.split(" ")[0]), 0);
}
