import { ccm, ccmExecutable, waitMirrors } from "../../hosts/harness/ccm.ts";
import type { Host } from "../../hosts/harness/host.ts";
import { createNetwork, type Network } from "../../hosts/harness/network.ts";
import { mirrorNames } from "../../hosts/harness/registry-files.ts";
import { waitFor } from "../../hosts/harness/wait-for.ts";
import type { CrowdOrder } from "../programs/crowd.ts";
import { HostProgram } from "./host-program.ts";

const DEADLINE_MS = 60_000;

export interface TwoHosts {
  readonly network: Network;
  readonly laptop: Host;
  readonly server: Host;
}

export type Crowd = HostProgram<CrowdOrder>;

/** Two hosts, the program installed and set up on the laptop and not yet paired; gone when `work` has settled. */
export async function withTwoHosts<Value>(work: (hosts: TwoHosts) => Promise<Value>): Promise<Value> {
  await using network = await createNetwork();
  const [laptop, server] = await Promise.all([network.host("laptop"), network.host("server")]);
  laptop.installCcm(ccmExecutable);
  await ccm(laptop, "init", "--label", "laptop");
  return await work({ network, laptop, server });
}

/** `name`, or `name-1` to `name-COUNT`. */
export function startCrowd(network: Network, host: Host, name: string, count = 1): Promise<Crowd> {
  return HostProgram.start<CrowdOrder>(network, host, "crowd", [String(count), name]);
}

/** Pairs the laptop with the server and waits until `laptop` lists this many mirrors there, and `server` that many of its own. */
export async function pair({ laptop, server }: TwoHosts, mirrors: { laptop: number; server: number }): Promise<void> {
  await ccm(laptop, "pair", "server");
  await waitMirrorCount(laptop, mirrors.laptop);
  await waitMirrorCount(server, mirrors.server);
}

export async function unpair({ laptop, server }: TwoHosts): Promise<void> {
  await ccm(laptop, "unpair", "server");
  await waitMirrors(laptop, [], DEADLINE_MS);
  await waitMirrors(server, [], DEADLINE_MS);
}

async function waitMirrorCount(host: Host, count: number): Promise<void> {
  await waitFor(() => mirrorNames(host).length === count, {
    what: `${count} mirrors on ${host.name}`,
    deadlineMs: DEADLINE_MS,
    pollMs: 100,
    otherwise: () => String(mirrorNames(host).length),
  });
}
