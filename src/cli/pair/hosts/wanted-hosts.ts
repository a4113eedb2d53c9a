import { CcmError, toCcmError } from "../../../core/errors.ts";
import type { PeerConfig } from "../../../daemon/config.ts";
import { choosePeer, type PeerWishes, withPeer } from "../choose-peer.ts";
import { type HostList, parseHostList } from "./host-list.ts";
import { nameOfSource, readSource } from "./read-source.ts";
import type { HostProblem, WantedHost } from "./wanted-host.ts";

export interface HostSources {
  /** Words of the command line. */
  readonly words: readonly string[];
  readonly hostsFile: string | undefined;
  readonly inventory: string | undefined;
  readonly group: string | undefined;
}

/** All machines that the sources name, and what is wrong with lines of them. Rejects with `usage` for a source that cannot be read. */
export async function readWantedHosts({ words, hostsFile, inventory, group }: HostSources): Promise<HostList> {
  if (hostsFile === "-" && inventory === "-") throw new CcmError("usage", "stdin cannot be both --hosts and --inventory");
  if (group !== undefined && inventory === undefined) throw new CcmError("usage", "--group is a group of an --inventory");
  const listed = hostsFile === undefined ? nothing : parseHostList(await readSource(hostsFile), nameOfSource(hostsFile));
  const fromInventory = inventory === undefined ? [] : await readGroup(inventory, group ?? "all");
  return { hosts: [...words.map((host) => ({ host })), ...listed.hosts, ...fromInventory], problems: listed.problems };
}

const nothing: HostList = { hosts: [], problems: [] };

async function readGroup(inventory: string, group: string): Promise<WantedHost[]> {
  const [{ hostsOfGroup }, { readInventory }] = await Promise.all([import("./inventory.ts"), import("./read-inventory.ts")]);
  return hostsOfGroup(await readInventory(inventory), group, nameOfSource(inventory));
}

export interface CheckedHosts {
  /** Each machine once. */
  readonly hosts: readonly WantedHost[];
  readonly problems: readonly HostProblem[];
}

/** Whether every host and label is one, and no two machines want the same label: told before anything is connected to. */
export function checkHosts(wanted: readonly WantedHost[], wishes: PeerWishes, peers: readonly PeerConfig[]): CheckedHosts {
  const hosts = new Map<string, WantedHost>();
  const problems: HostProblem[] = [];
  let chosen = peers;
  for (const one of wanted) {
    try {
      requireSameLabel(one, hosts.get(one.host));
      chosen = withPeer(chosen, choosePeer(one.host, wishesFor(one, wishes), chosen));
      if (!hosts.has(one.host)) hosts.set(one.host, one);
    } catch (error) {
      problems.push({ where: one.where, error: toCcmError(error) });
    }
  }
  return { hosts: [...hosts.values()], problems };
}

export function wishesFor({ label, suggestedLabel }: WantedHost, wishes: PeerWishes): PeerWishes {
  return { ...wishes, label: label ?? wishes.label, suggestedLabel };
}

function requireSameLabel(one: WantedHost, earlier: WantedHost | undefined): void {
  if (earlier === undefined || one.label === earlier.label) return;
  throw new CcmError("usage", `${one.host} is named twice, with different labels`, { hint: "leave one of them out" });
}
