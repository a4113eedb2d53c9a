import { whyNoCcm } from "../../hosts/harness/ccm.ts";
import { person } from "../../hosts/harness/host-files.ts";
import type { ChainOrder } from "../programs/bare-chain.ts";
import type { Arrival } from "../programs/crowd.ts";
import type { EchoOrder } from "../programs/ssh-echo.ts";
import type { Measurement, Row } from "../row.ts";
import { oneWayMs, requireOrder, waitArrivals } from "../support/arrivals.ts";
import { HostProgram } from "../support/host-program.ts";
import { pair, startCrowd, type TwoHosts, withTwoHosts } from "../support/two-hosts.ts";

const ROUNDS = 10;
const MESSAGES = 40;
const PAUSE_MS = 25;
/** About what the line of such a message has. */
const LINE_BYTES = 400;

/** From the first byte that a session writes to the arrival in the inbox on the other machine. */
export const row: Row = {
  name: "one-way",
  unavailable: whyNoCcm,
  run: () => withTwoHosts(measure),
};

async function measure(hosts: TwoHosts): Promise<readonly Measurement[]> {
  const { network, laptop, server } = hosts;
  const sender = await startCrowd(network, laptop, "web-ui");
  const receiver = await startCrowd(network, server, "api");
  await pair(hosts, { laptop: 1, server: 1 });
  const sshPlace = [server.address, person.name, `${laptop.home}/.ssh/id_ed25519`];
  const echo = await HostProgram.start<EchoOrder>(network, laptop, "ssh-echo", sshPlace);
  const [socket, inbox, first] = ["hub", "inbox", "mirror"].map((name) => `${person.home}/bare-${name}.sock`) as [string, string, string];
  const chainEnd = await HostProgram.start<ChainOrder>(network, server, "bare-chain", ["arrive", socket, inbox]);
  await HostProgram.start(network, laptop, "bare-chain", ["dial", ...sshPlace, first, socket]);
  const chain = await HostProgram.start<ChainOrder>(network, laptop, "bare-chain", ["send", first]);
  const floor: number[] = [];
  const arrivals: Arrival[] = [];
  const chained: Arrival[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const halves = await echo.ask<number[]>({ op: "echo", lines: MESSAGES, bytes: LINE_BYTES, pauseMs: PAUSE_MS });
    await sender.ask({ op: "send", to: "server-api", messages: MESSAGES, pauseMs: PAUSE_MS });
    const arrived = await waitArrivals(receiver, MESSAGES);
    await chain.ask({ op: "send", messages: MESSAGES, bytes: LINE_BYTES, pauseMs: PAUSE_MS });
    const throughChain = await waitArrivals(chainEnd, MESSAGES);
    // The first round compiles what the others run.
    if (round === 0) continue;
    floor.push(...halves);
    arrivals.push(...arrived);
    chained.push(...throughChain);
  }
  requireOrder(arrivals, ROUNDS * MESSAGES);
  const delivery = { what: "one-way delivery over the link", unit: "ms", samples: arrivals.map(oneWayMs), hasTail: true } as const;
  return [
    { ...delivery, floor: { what: "half a raw ssh channel's echo", samples: floor }, target: { below: 2 } },
    { ...delivery, floor: { what: "through as many bare Node processes", samples: chained.map(oneWayMs) } },
  ];
}
