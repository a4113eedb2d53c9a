import { plainLine } from "../../core/plain-text.ts";
import type { DaemonStatus, PeerState, PeerStatus } from "../../daemon/control-protocol.ts";
import type { Style } from "../output/style.ts";
import { type Cell, renderTable } from "../output/table.ts";
import { count, describeDuration } from "../output/units.ts";

export interface StatusView {
  readonly running: boolean;
  /** Of config.json: what is paired there and unknown to the daemon is shown as well. */
  readonly pairedLabels: readonly string[];
  readonly nowMs: number;
  readonly style: Style;
}

/** One line for this machine, one for each peer, and under a peer in trouble what its last try ended with. */
export function describeStatus(status: DaemonStatus | undefined, view: StatusView): string {
  const lines = [machineLine(status, view)];
  const peers = status?.peers ?? [];
  if (view.running || status) lines.push(...peerLines(peers, view));
  const waiting = view.pairedLabels.filter((label) => !peers.some((peer) => peer.label === label));
  lines.push(...waiting.map((label) => `  ${label}  ${view.style.quiet(view.running ? "paired, not taken up yet" : "paired")}`));
  if (peers.length === 0 && waiting.length === 0) lines.push("  no machine is paired: ccm pair HOST");
  return lines.join("\n");
}

function machineLine(status: DaemonStatus | undefined, { running, nowMs, style }: StatusView): string {
  const stopped = `${style.bad("not running")}: ccm up starts it`;
  if (!status) return stopped;
  const label = style.strong(plainLine(status.machine.label));
  if (!running) return `${label}  ${stopped}`;
  const { pid, version, startedAt } = status.daemon;
  const facts = [`ccm ${plainLine(version)}`, `pid ${pid}`, `up ${describeDuration(nowMs - startedAt)}`, count(status.members, "member")];
  return `${label}  ${style.good("running")}  ${facts.join(", ")}`;
}

function peerLines(peers: readonly PeerStatus[], view: StatusView): string[] {
  const rows = renderTable(peers.map((peer) => peerRow(peer, view))).split("\n");
  return peers.flatMap((peer, index) => [`  ${rows[index]}`, ...troubleLines(peer, view)]);
}

function peerRow(peer: PeerStatus, { running, nowMs, style }: StatusView): Cell[] {
  const state = running ? peer.state : "offline";
  const members = state === "linked" ? count(peer.members, "member") + overLimit(peer) : "";
  return [
    { text: peer.label, paint: style.strong },
    { text: state, paint: paintOf(state, style) },
    { text: running ? `for ${describeDuration(nowMs - peer.since)}` : "" },
    { text: peer.host ?? "dials us", paint: style.quiet },
    { text: members },
    { text: peer.version === undefined ? "" : `ccm ${peer.version}`, paint: style.quiet },
    { text: peer.attest === "strip" ? "bypass stripped" : "", paint: style.warning },
    { text: messagesCell(peer), paint: style.quiet },
  ];
}

/** Of all time: they survive restarts. */
function messagesCell({ totals }: PeerStatus): string {
  if (!totals || totals.sent + totals.received + totals.failed === 0) return "";
  return `${totals.sent} sent, ${totals.received} received${totals.failed > 0 ? `, ${totals.failed} failed` : ""}`;
}

function troubleLines(peer: PeerStatus, { running, nowMs, style }: StatusView): string[] {
  if (!running) return [];
  const lines = peer.error ? [`    ${style.warning(plainLine(peer.error.message, 400))}`] : [];
  if (peer.error?.hint !== undefined) lines.push(`    ${plainLine(peer.error.hint, 400)}`);
  if (peer.retryAt !== undefined)
    lines.push(`    ${style.quiet(peer.retryAt > nowMs ? `next try in ${describeDuration(peer.retryAt - nowMs)}` : "trying again now")}`);
  return lines;
}

function overLimit({ membersOverLimit }: PeerStatus): string {
  return membersOverLimit > 0 ? ` (${membersOverLimit} more than the limit, not listed)` : "";
}

function paintOf(state: PeerState, style: Style): (text: string) => string {
  if (state === "linked") return style.good;
  return state === "refused" ? style.bad : style.warning;
}
