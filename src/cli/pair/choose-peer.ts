import { CcmError } from "../../core/errors.ts";
import { labelFromHost } from "../../core/label.ts";
import type { PeerConfig } from "../../daemon/config.ts";
import type { Attestation } from "../../link/rewrite-frame.ts";
import type { TransportName } from "../../ssh/transport.ts";
import { parseTypedHost } from "../../ssh/typed-host.ts";
import { requireLabel } from "../options.ts";

export interface PeerWishes {
  readonly label?: string | undefined;
  /** For a machine that has no label yet, where none is asked for. */
  readonly suggestedLabel?: string | undefined;
  /** `auto` takes an earlier wish back. */
  readonly transport?: TransportName | "auto" | undefined;
  readonly attest?: Attestation | undefined;
}

/**
 * The entry that pairing `host` makes: under the label asked for, else the one it has, else the one suggested, by the caller or by its
 * name; reached as asked for, else as before.
 * Throws `usage` for what is no host, for a label that is none, and for one that another machine has.
 */
export function choosePeer(host: string, { label, suggestedLabel, transport }: PeerWishes, peers: readonly PeerConfig[]): PeerConfig {
  const typed = parseTypedHost(host);
  const known = peers.find((peer) => peer.host === host);
  const chosen = label === undefined ? (known?.label ?? suggestedLabel ?? labelFromHost(typed.host)) : requireLabel(label);
  if (chosen === undefined) throw new CcmError("usage", `"${host}" suggests no label`, { hint: "give it one: --label NAME" });
  const holder = peers.find((peer) => peer.label === chosen && peer.host !== host);
  if (!holder) return { ...withTransport(known, transport), host, label: chosen };
  throw new CcmError("usage", `the label ${chosen} belongs to ${holder.host} already`, {
    hint: `choose another: ccm pair ${host} --label NAME`,
  });
}

function withTransport(known: PeerConfig | undefined, wish: PeerWishes["transport"]): Partial<PeerConfig> {
  if (wish === undefined) return known ?? {};
  const { transport: _earlier, ...rest } = known ?? {};
  return wish === "auto" ? rest : { ...rest, transport: wish };
}

/** The peers with this one added, or in the place of the entry for the same host. */
export function withPeer(peers: readonly PeerConfig[], peer: PeerConfig): PeerConfig[] {
  const isKnown = peers.some(({ host }) => host === peer.host);
  return isKnown ? peers.map((other) => (other.host === peer.host ? peer : other)) : [...peers, peer];
}
