import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { quantile } from "../bench/statistics.ts";
import { oneWayMs, waitArrivals } from "../bench/support/arrivals.ts";
import { type Crowd, startCrowd } from "../bench/support/two-hosts.ts";
import { daemonLog, pairHosts, waitMirrors, whyNoCcm } from "./harness/ccm.ts";
import type { Host } from "./harness/host.ts";
import { createNetwork, type Network } from "./harness/network.ts";
import { StandInSession } from "./harness/stand-in-session.ts";
import { waitFor } from "./harness/wait-for.ts";

const skip = whyNoCcm();
const timeout = 90_000;
const MIB = 1024 * 1024;
const MAX_LATE_MS = 10;
const MAX_GROWTH_MB = 15;
const PAUSE_MS = 2;
const BATCH = 10;

/** A laptop that has paired a server; beside the sessions with files one on each for small messages. */
async function pairedMachines(network: Network) {
  const [laptop, server] = await Promise.all([network.host("laptop"), network.host("server")]);
  const [webUi, quick] = [await StandInSession.start(network, laptop, "web-ui"), await startCrowd(network, laptop, "quick")];
  const [api, pings] = [await StandInSession.start(network, server, "api"), await startCrowd(network, server, "pings")];
  await pairHosts(laptop, server);
  await waitMirrors(laptop, ["server-api", "server-pings"]);
  await waitMirrors(server, ["laptop-quick", "laptop-web-ui"]);
  return { laptop, server, webUi, quick, api, pings };
}

/** Writes small messages until `isOver`; how long each took, in ms. */
async function latencies(quick: Crowd, pings: Crowd, isOver: (sent: number) => boolean): Promise<number[]> {
  let sent = 0;
  for (; !isOver(sent); sent += BATCH) await quick.ask({ op: "send", to: "server-pings", messages: BATCH, pauseMs: PAUSE_MS });
  return (await waitArrivals(pings, sent)).map(oneWayMs);
}

function daemonPid(host: Host): number {
  const [daemon] = host.processes().filter(({ command }) => command.split(" ")[1] === "daemon");
  if (!daemon) throw new Error(`no daemon on ${host.name}`);
  return daemon.pid;
}

/** Looks at the memory of the daemons until it is told to end; how much each grew at most. */
function watchMemory(hosts: readonly Host[]) {
  const rssMb = (host: Host, pid: number) => Number(/VmRSS:\s+(\d+)/.exec(host.readFile(`/proc/${pid}/status`))?.[1]) / 1024;
  const watched = hosts.map((host) => ({ host, pid: daemonPid(host), beforeMb: rssMb(host, daemonPid(host)), mostMb: 0 }));
  const timer = setInterval(() => {
    for (const one of watched) one.mostMb = Math.max(one.mostMb, rssMb(one.host, one.pid));
  }, 10);
  return () => {
    clearInterval(timer);
    return watched.map(({ host, beforeMb, mostMb }) => ({ name: host.name, beforeMb, grownMb: Math.max(0, mostMb - beforeMb) }));
  };
}

test("30 MiB cross whole, memory of both daemons stays flat, and small messages are hardly later than without", {
  skip,
  timeout,
}, async (t) => {
  await using network = await createNetwork();
  const { laptop, server, webUi, quick, api, pings } = await pairedMachines(network);
  const content = randomBytes(30 * MIB);
  laptop.putFile("large.bin", content);
  await webUi.sendFiles("server-api", "a small one first", [`${laptop.home}/large.bin`]);
  await waitFor(() => api.received().length === 1, { what: "the first file", deadlineMs: 30_000, otherwise: () => daemonLog(server) });

  const quiet = await latencies(quick, pings, (sent) => sent >= 150);
  const grown = watchMemory([laptop, server]);
  const startedMs = performance.now();
  await webUi.sendFiles("server-api", "the file", [`${laptop.home}/large.bin`]);
  const meanwhile = await latencies(quick, pings, () => api.received().length === 2);
  const tookMs = performance.now() - startedMs;
  const memory = grown();

  const [, received] = api.received();
  assert.equal(received?.files[0]?.sha256, createHash("sha256").update(content).digest("hex"));
  assert.match(received?.content ?? "", /\n@"[^"]+\/uploads\/stand-in\/[0-9a-f]{8}-[0-9a-f]{8}-large\.bin" the file\n/);
  const line = (samples: readonly number[]) =>
    [0.5, 0.9, 0.95, 1]
      .map((share) => quantile(samples, share))
      .map((ms) => ms.toFixed(1))
      .join(" / ");
  t.diagnostic(
    `30 MiB in ${Math.round(tookMs)} ms; small messages (ms at 50/90/95/100 %): ${line(quiet)} without, ${line(meanwhile)} with (${meanwhile.length})`,
  );
  for (const { name, beforeMb, grownMb } of memory)
    t.diagnostic(`daemon on ${name}: ${beforeMb.toFixed(0)} MB, at most ${grownMb.toFixed(1)} MB more`);
  for (const share of [0.5, 0.9]) assert.ok(quantile(meanwhile, share) - quantile(quiet, share) <= MAX_LATE_MS, line(meanwhile));
  for (const { name, grownMb } of memory) assert.ok(grownMb <= MAX_GROWTH_MB, `${name}: ${grownMb} MB`);
});
