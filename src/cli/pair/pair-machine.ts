import { noteEvent } from "../../audit/note-event.ts";
import { readRegistry } from "../../claude/registry.ts";
import type { Paths } from "../../core/paths.ts";
import { changeConfig, type PeerConfig } from "../../daemon/config.ts";
import { awaitLink } from "./await-link.ts";
import { choosePeer, type PeerWishes, withPeer } from "./choose-peer.ts";
import type { Pairing } from "./describe-pairing.ts";
import type { PairReporter } from "./push-progress.ts";
import { withAttestation } from "./with-attestation.ts";

export interface PairRequest {
  readonly host: string;
  readonly wishes: PeerWishes;
  /** The peers before. */
  readonly peers: readonly PeerConfig[];
  readonly paths: Paths;
  readonly acceptedFingerprints: readonly string[];
  readonly reporter: PairReporter;
}

/** Pairs one machine from the first connection to the link. Rejects with what stood in the way; it is in the configuration once reached. */
export async function pairMachine({ host, wishes, peers, paths, acceptedFingerprints, reporter }: PairRequest): Promise<Pairing> {
  // Only this command needs ssh2, which takes longer to load than the others take to run.
  const { reachMachine } = await import("./reach-machine.ts");
  const { pushed } = await reachMachine(choosePeer(host, wishes, peers), { paths, reporter, acceptedFingerprints });
  const peer = addPeer(paths, host, wishes);
  noteEvent(paths, { ev: "pair", peer: peer.label, host });
  const link = await awaitLink(peer.label, paths);
  return {
    ...peer,
    wasPaired: peers.some((other) => other.host === host),
    pushed,
    link,
    memberNames: membersOf(peer.label, paths.claudeConfig),
  };
}

/** Chosen again from what the file holds now: reaching the machine may have taken minutes. */
function addPeer(paths: Paths, host: string, wishes: PeerWishes): PeerConfig {
  const { peers } = changeConfig(paths, (config) => {
    const peer = choosePeer(host, wishes, config.peers ?? []);
    return withAttestation({ ...config, peers: withPeer(config.peers ?? [], peer) }, peer.label, wishes.attest);
  });
  return choosePeer(host, {}, peers);
}

/** The mirrors of that machine's sessions, by the names that work here. */
function membersOf(label: string, claudeConfig: string): string[] {
  return readRegistry(claudeConfig).flatMap(({ record, unreachable }) =>
    record?.raw["ccmHost"] === label && !unreachable ? [record.name ?? ""] : [],
  );
}
