import { ccmExecutable, whyNoCcm } from "../../hosts/harness/ccm.ts";
import type { StopwatchOrder } from "../programs/stopwatch.ts";
import type { Measurement, Row } from "../row.ts";
import { emptyExecutable } from "../support/empty-executable.ts";
import { HostProgram } from "../support/host-program.ts";
import { pair, startCrowd, type TwoHosts, withTwoHosts } from "../support/two-hosts.ts";

const ROUNDS = 20;

/** The wall time of `ccm send`, to a session of this machine and to one of another. */
export const row: Row = {
  name: "send",
  unavailable: whyNoCcm,
  run: () => withTwoHosts(measure),
};

async function measure(hosts: TwoHosts): Promise<readonly Measurement[]> {
  const { network, laptop, server } = hosts;
  using empty = await emptyExecutable();
  await startCrowd(network, laptop, "web-ui");
  await startCrowd(network, server, "api");
  await pair(hosts, { laptop: 1, server: 1 });
  const stopwatch = await HostProgram.start<StopwatchOrder>(network, laptop, "stopwatch");
  const text = "the schema is merged";
  const commands = [[empty.file], [ccmExecutable, "send", "web-ui", text], [ccmExecutable, "send", "server-api", text]];
  await stopwatch.ask({ op: "run", commands, rounds: 2 });
  const [floor = [], local = [], remote = []] = await stopwatch.ask<number[][]>({ op: "run", commands, rounds: ROUNDS });
  const beside = { unit: "ms", floor: { what: "an empty executable", samples: floor }, target: { below: 1.5, of: "floor" } } as const;
  return [
    { what: "ccm send to this machine", samples: local, ...beside },
    { what: "ccm send to another machine", samples: remote, ...beside },
  ];
}
