import { plainLine } from "../../core/plain-text.ts";
import type { PeerStatus } from "../../daemon/control-protocol.ts";
import type { Style } from "../output/style.ts";
import { count } from "../output/units.ts";

export interface Pairing {
  readonly host: string;
  readonly label: string;
  readonly wasPaired: boolean;
  readonly pushed: boolean;
  readonly link: PeerStatus | undefined;
  readonly memberNames: readonly string[];
}

/** More are for `ccm roster`. */
const MAX_NAMES = 10;

/** `linked to server (ccm 0.1.0): 2 members there` and who they are. */
export function describePairing({ label, wasPaired, link, memberNames }: Pairing, style: Style): string {
  const version = link?.version === undefined ? "" : ` (ccm ${plainLine(link.version)})`;
  const already = wasPaired ? ", as before" : "";
  const members = Math.max(link?.members ?? 0, memberNames.length);
  const first = `${style.good("linked")} to ${style.strong(label)}${version}${already}: ${members === 0 ? "no member there yet" : `${count(members, "member")} there`}`;
  const names = memberNames.slice(0, MAX_NAMES).map((name) => `  ${plainLine(name)}`);
  const more = members - names.length;
  return [first, ...names, ...(more > 0 && names.length > 0 ? [`  and ${more} more: ccm roster`] : [])].join("\n");
}

export function pairingReport({ host, label, wasPaired, pushed, link, memberNames }: Pairing): object {
  return { label, host, wasPaired, pushed, state: link?.state, version: link?.version, members: link?.members, memberNames };
}
