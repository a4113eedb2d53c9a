import { randomBytes } from "node:crypto";
import { whyNoCcm } from "../../hosts/harness/ccm.ts";
import type { Host } from "../../hosts/harness/host.ts";
import { StandInSession } from "../../hosts/harness/stand-in-session.ts";
import { waitFor } from "../../hosts/harness/wait-for.ts";
import { watchMemory } from "../../hosts/harness/watch-memory.ts";
import type { StopwatchOrder } from "../programs/stopwatch.ts";
import type { Measurement, Row } from "../row.ts";
import { HostProgram } from "../support/host-program.ts";
import { latencies } from "../support/latencies.ts";
import { pair, startCrowd, type TwoHosts, withTwoHosts } from "../support/two-hosts.ts";

const BYTES = 30 * 1024 * 1024;
const ROUNDS = 5;
const QUIET_MESSAGES = 200;

/** A file of the largest size from a session to one of another machine, and what it costs those who write meanwhile. */
export const row: Row = {
  name: "files",
  unavailable: whyNoCcm,
  run: () => withTwoHosts(measure),
};

async function measure(hosts: TwoHosts): Promise<readonly Measurement[]> {
  const { network, laptop, server } = hosts;
  const [webUi, api] = [await StandInSession.start(network, laptop, "web-ui"), await StandInSession.start(network, server, "api")];
  const [quick, crowd] = [await startCrowd(network, laptop, "quick"), await startCrowd(network, server, "pings")];
  await pair(hosts, { laptop: 2, server: 2 });
  const pings = { name: "server-pings", crowd };
  const file = `${laptop.home}/large.bin`;
  laptop.putFile("large.bin", randomBytes(BYTES));
  const send = async (isOver: () => Promise<unknown>) => {
    const [before, startedMs] = [api.received().length, performance.now()];
    await webUi.sendFiles("server-api", "a file", [file]);
    await isOver();
    await waitFor(() => api.received().length > before, { what: "the file", deadlineMs: 60_000 });
    return performance.now() - startedMs;
  };
  const quiet = await latencies(quick, pings, (sent) => sent >= QUIET_MESSAGES);
  const memory = watchMemory([laptop, server]);
  const [alone, meanwhile]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push(await send(async () => undefined));
    const before = api.received().length;
    await send(async () => meanwhile.push(...(await latencies(quick, pings, () => api.received().length > before))));
  }
  const grown = memory();
  const floor = { what: "through ssh", samples: await throughSsh(hosts, laptop, file) };
  return [
    { what: "a file of 30 MiB, from session to session", unit: "ms", samples: alone, floor },
    { what: "a message meanwhile", unit: "ms", samples: meanwhile, hasTail: true, floor: { what: "without a file", samples: quiet } },
    ...grown.map(
      ({ name, grownMb }): Measurement => ({
        what: `the daemon on the ${name} grows`,
        unit: "MB",
        samples: [grownMb],
        target: { below: 15 },
      }),
    ),
  ];
}

/** The same bytes to a file there, by the system's ssh over a connection of its own. */
async function throughSsh({ network, server }: TwoHosts, laptop: Host, file: string): Promise<number[]> {
  const stopwatch = await HostProgram.start<StopwatchOrder>(network, laptop, "stopwatch");
  const commands = [["sh", "-c", `ssh ${server.name} 'cat > copy.bin' < ${file}`]];
  const [samples = []] = await stopwatch.ask<number[][]>({ op: "run", commands, rounds: ROUNDS });
  return samples;
}
