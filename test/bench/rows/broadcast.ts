import { ccm, whyNoCcm } from "../../hosts/harness/ccm.ts";
import type { StopwatchOrder } from "../programs/stopwatch.ts";
import type { Measurement, Row } from "../row.ts";
import { oneWayMs, waitArrivals } from "../support/arrivals.ts";
import { installEmptyExecutable } from "../support/empty-executable.ts";
import { HostProgram } from "../support/host-program.ts";
import { pair, startCrowd, type TwoHosts, withTwoHosts } from "../support/two-hosts.ts";

const MEMBERS = 40;
const ROUNDS = 10;

/** From the moment that `ccm broadcast` is typed until the last of forty sessions of another machine has its copy. */
export const row: Row = {
  name: "broadcast",
  unavailable: whyNoCcm,
  run: () => withTwoHosts(measure),
};

async function measure(hosts: TwoHosts): Promise<readonly Measurement[]> {
  const { network, laptop, server } = hosts;
  await installEmptyExecutable(laptop);
  const crowd = await startCrowd(network, server, "api", MEMBERS);
  await pair(hosts, { laptop: MEMBERS, server: 0 });
  const stopwatch = await HostProgram.start<StopwatchOrder>(network, laptop, "stopwatch");
  const samples: number[] = [];
  const floor: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [[emptyMs = 0] = []] = await stopwatch.ask<number[][]>({ op: "run", commands: [["empty"]], rounds: 1 });
    const sent = { sender: "a shell", number: round, sentNs: String(process.hrtime.bigint()) };
    await ccm(laptop, "broadcast", JSON.stringify(sent));
    const lastMs = Math.max(...(await waitArrivals(crowd, MEMBERS)).map(oneWayMs));
    // The first round compiles what the others run.
    if (round === 0) continue;
    floor.push(emptyMs);
    samples.push(lastMs);
  }
  const what = `a broadcast's last copy of ${MEMBERS}`;
  return [{ what, unit: "ms", samples, floor: { what: "an empty executable", samples: floor }, target: { below: 300 } }];
}
