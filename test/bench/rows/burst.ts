import { whyNoCcm } from "../../hosts/harness/ccm.ts";
import { person } from "../../hosts/harness/host-files.ts";
import type { EchoOrder } from "../programs/ssh-echo.ts";
import type { Measurement, Row } from "../row.ts";
import { requireOrder, spanMs, waitArrivals } from "../support/arrivals.ts";
import { HostProgram } from "../support/host-program.ts";
import { pair, startCrowd, type TwoHosts, withTwoHosts } from "../support/two-hosts.ts";

const ROUNDS = 3;
const SENDERS = 40;
const LINE_BYTES = 400;
const BURSTS = [
  { messages: 40, senders: 1 },
  { messages: 300, senders: SENDERS },
] as const;

/** Many messages at once, from the first write to the last arrival. */
export const row: Row = {
  name: "burst",
  unavailable: whyNoCcm,
  run: () => withTwoHosts(measure),
};

async function measure(hosts: TwoHosts): Promise<readonly Measurement[]> {
  const { network, laptop, server } = hosts;
  const senders = await startCrowd(network, laptop, "web-ui", SENDERS);
  const receiver = await startCrowd(network, server, "api");
  await pair(hosts, { laptop: 1, server: SENDERS });
  const echo = await HostProgram.start<EchoOrder>(network, laptop, "ssh-echo", [
    server.address,
    person.name,
    `${laptop.home}/.ssh/id_ed25519`,
  ]);
  const measurements: Measurement[] = [];
  for (const { messages, senders: count } of BURSTS) {
    const samples: number[] = [];
    const floor: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const echoed = await echo.ask<number[]>({ op: "burst", lines: messages, bytes: LINE_BYTES });
      await senders.ask({ op: "burst", to: "server-api", messages, senders: count });
      const arrivals = await waitArrivals(receiver, messages);
      // The first round compiles what the others run.
      if (round === 0) continue;
      requireOrder(arrivals, messages);
      samples.push(spanMs(arrivals));
      floor.push(...echoed);
    }
    const from = count === 1 ? "one sender" : `${count} senders`;
    measurements.push({
      what: `${messages} messages at once from ${from}`,
      unit: "ms",
      samples,
      floor: { what: "lines through a raw ssh channel and back", samples: floor },
    });
  }
  return measurements;
}
