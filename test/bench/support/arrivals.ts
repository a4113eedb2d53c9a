import { waitFor } from "../../hosts/harness/wait-for.ts";
import type { Arrival } from "../programs/crowd.ts";
import type { HostProgram } from "./host-program.ts";

export function oneWayMs({ sentNs, arrivedNs }: Arrival): number {
  return Number(BigInt(arrivedNs) - BigInt(sentNs)) / 1e6;
}

/** From the first write to the last arrival. */
export function spanMs(arrivals: readonly Arrival[]): number {
  const sent = arrivals.map(({ sentNs }) => Number(sentNs));
  const arrived = arrivals.map(({ arrivedNs }) => Number(arrivedNs));
  return (Math.max(...arrived) - Math.min(...sent)) / 1e6;
}

/** Throws unless exactly this many have arrived, those of each sender in the order of their numbers. */
export function requireOrder(arrivals: readonly Arrival[], count: number): void {
  if (arrivals.length !== count) throw new Error(`${arrivals.length} of ${count} messages arrived`);
  const last = new Map<string, number>();
  for (const { sender, number } of arrivals) {
    const before = last.get(sender);
    if (before !== undefined && number !== before + 1) throw new Error(`message ${number} of ${sender} arrived after ${before}`);
    last.set(sender, number);
  }
}

/** What arrives from now on, when it is this many. */
export async function waitArrivals(
  receiver: Pick<HostProgram<{ readonly op: "arrivals" }>, "ask">,
  count: number,
): Promise<readonly Arrival[]> {
  const arrivals: Arrival[] = [];
  const arrived = async () => {
    arrivals.push(...(await receiver.ask<readonly Arrival[]>({ op: "arrivals" })));
    return arrivals.length >= count;
  };
  await waitFor(arrived, { what: `${count} messages`, deadlineMs: 20_000, pollMs: 200, otherwise: () => String(arrivals.length) });
  return arrivals;
}
