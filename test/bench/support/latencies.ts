import { oneWayMs, waitArrivals } from "./arrivals.ts";
import type { Crowd } from "./two-hosts.ts";

const PAUSE_MS = 2;
const BATCH = 10;

/** Writes small messages from one session to the session `to` of the other host until `isOver`; how long each took, in ms. */
export async function latencies(from: Crowd, to: { name: string; crowd: Crowd }, isOver: (sent: number) => boolean): Promise<number[]> {
  let sent = 0;
  for (; !isOver(sent); sent += BATCH) await from.ask({ op: "send", to: to.name, messages: BATCH, pauseMs: PAUSE_MS });
  return (await waitArrivals(to.crowd, sent)).map(oneWayMs);
}
