import fs from "node:fs";
import { whyNoCcm } from "../../hosts/harness/ccm.ts";
import type { Host } from "../../hosts/harness/host.ts";
import { readRecords } from "../../hosts/harness/registry-files.ts";
import type { StopwatchOrder } from "../programs/stopwatch.ts";
import type { Measurement, Row } from "../row.ts";
import { writeBareListener } from "../support/bare-listener.ts";
import { HostProgram } from "../support/host-program.ts";
import { pair, startCrowd, type TwoHosts, unpair, withTwoHosts } from "../support/two-hosts.ts";

const ROUNDS = 3;
const MANY = 40;
const AUDIT_FILE = ".local/state/claude-code-message/audit.jsonl";

/** How long until the members of another machine can be written to: since `ccm pair` was typed, and since the link is up. */
export const row: Row = {
  name: "reachable",
  unavailable: whyNoCcm,
  run: () => withTwoHosts(measure),
};

async function measure(hosts: TwoHosts): Promise<readonly Measurement[]> {
  const { network, laptop } = hosts;
  const stopwatch = await HostProgram.start<StopwatchOrder>(network, laptop, "stopwatch");
  const listener = [network.node, writeBareListener(network.directory), "/tmp"];
  const first: number[] = [];
  const measurements: Measurement[] = [];
  for (const count of [1, MANY]) {
    const crowd = await startCrowd(network, hosts.server, "api", count);
    // With the executable sent over; the other rounds find it there.
    if (count === 1) first.push((await pairAndTime(hosts, count)).sincePairMs);
    const rounds: { sincePairMs: number; sinceLinkMs: number; floorMs: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const floorMs = await stopwatch.ask<number>({ op: "start", command: listener, count });
      rounds.push({ ...(await pairAndTime(hosts, count)), floorMs });
    }
    const floor = { what: `${count} bare Node started at once`, samples: rounds.map(({ floorMs }) => floorMs) };
    const members = count === 1 ? "1 member" : `${count} members`;
    measurements.push(
      {
        what: `${members} reachable after link up`,
        unit: "ms",
        samples: rounds.map(({ sinceLinkMs }) => sinceLinkMs),
        floor,
        target: { below: 2_000 },
      },
      { what: `${members} reachable after pair was typed`, unit: "ms", samples: rounds.map(({ sincePairMs }) => sincePairMs), floor },
    );
    await crowd.close();
  }
  return [...measurements, { what: "the first pair, executable sent", unit: "ms", samples: first }];
}

async function pairAndTime(hosts: TwoHosts, count: number): Promise<{ sincePairMs: number; sinceLinkMs: number }> {
  const startedMs = Date.now();
  await pair(hosts, { laptop: count, server: 0 });
  const reachableMs = Math.max(...readRecords(hosts.laptop).map((record) => writtenMs(hosts.laptop, record.pid)));
  const linkedMs = linkedAtMs(hosts.laptop);
  await unpair(hosts);
  return { sincePairMs: reachableMs - startedMs, sinceLinkMs: reachableMs - linkedMs };
}

/** A mirror's record is written last, when its inbox listens. */
function writtenMs(host: Host, pid: number): number {
  return fs.statSync(host.path(`.claude/sessions/${pid}.json`)).mtimeMs;
}

function linkedAtMs(host: Host): number {
  const events = host
    .readFile(AUDIT_FILE)
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { ev: string; ts: string });
  return Date.parse(events.findLast(({ ev }) => ev === "link_up")?.ts ?? "");
}
