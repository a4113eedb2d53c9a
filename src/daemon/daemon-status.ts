import { hostname } from "node:os";
import { readProcStart } from "../claude/process-identity.ts";
import { buildInfo } from "../core/build-info.ts";
import type { CcmError } from "../core/errors.ts";
import type { Peer } from "../link/peer.ts";
import type { Attestation } from "../link/rewrite-frame.ts";
import type { DaemonStatus, ErrorReport, PeerCounters, PeerStatus } from "./control-protocol.ts";
import type { Dialler } from "./dialler.ts";

export interface StatusSources {
  readonly startedAt: number;
  readonly boot: string;
  readonly machine: { readonly id: string; readonly label: string };
  readonly members: number;
  /** For the machine of that label. */
  readonly attestation: (label: string) => Attestation;
  readonly diallers: readonly Dialler[];
  readonly peers: readonly Peer[];
  readonly totals: (label: string) => PeerCounters;
}

export function daemonStatus({ startedAt, boot, machine, members, attestation, diallers, peers, totals }: StatusSources): DaemonStatus {
  const dialled = new Set(diallers.flatMap((dialler) => dialler.machineId ?? []));
  return {
    running: true,
    daemon: { pid: process.pid, procStart: ownProcStart(), hostname: hostname(), startedAt, ...buildInfo, boot },
    machine,
    members,
    peers: withKnowledge({ attestation, totals }, [
      ...diallers.map((dialler) =>
        diallerStatus(
          dialler,
          peers.find((peer) => peer.machineId === dialler.machineId),
        ),
      ),
      ...peers.filter((peer) => !dialled.has(peer.machineId)).map(answeredStatus),
    ]),
  };
}

let procStart: string | undefined;

/** It never changes, and asking is a process of its own on macOS. */
function ownProcStart(): string | undefined {
  procStart ??= readProcStart(process.pid);
  return procStart;
}

/** What this machine holds about a machine, linked or not. */
function withKnowledge({ attestation, totals }: Pick<StatusSources, "attestation" | "totals">, peers: readonly PeerStatus[]): PeerStatus[] {
  return peers.map((peer) => ({
    ...peer,
    totals: totals(peer.label),
    ...(attestation(peer.label) === "strip" && { attest: "strip" as const }),
  }));
}

export function errorReport(error: CcmError): ErrorReport {
  return { code: error.code, message: error.message, hint: error.hint };
}

function diallerStatus(dialler: Dialler, peer: Peer | undefined): PeerStatus {
  const { state, label, host } = dialler;
  const common = { label, host, direction: peer?.direction ?? ("dialled" as const), since: state.since, ...peerFields(peer) };
  switch (state.name) {
    case "connecting":
      return { ...common, state: "connecting" };
    case "linked":
    case "served":
      return { ...common, state: "linked" };
    case "waiting":
      return {
        ...common,
        state: state.error.code === "link_refused" ? "refused" : "waiting",
        retryAt: state.retryAt,
        error: errorReport(state.error),
      };
  }
}

function answeredStatus(peer: Peer): PeerStatus {
  const { state } = peer;
  const since = "since" in state ? state.since : 0;
  const common = { label: peer.label, direction: "answered" as const, since, ...peerFields(peer) };
  if (state.name === "linked") return { ...common, state: "linked" };
  return { ...common, state: "offline", ...(state.name === "offline" && { error: errorReport(state.error) }) };
}

function peerFields(
  peer: Peer | undefined,
): Pick<PeerStatus, "machineId" | "version" | "clockDifferenceMs" | "members" | "membersOverLimit" | "counters"> {
  return {
    machineId: peer?.machineId,
    version: peer?.state.name === "linked" ? peer.state.hello.version : undefined,
    clockDifferenceMs: peer?.state.name === "linked" ? peer.state.clockDifferenceMs : undefined,
    members: peer?.memberCount ?? 0,
    membersOverLimit: peer?.membersOverLimit ?? 0,
    counters: peer?.counters ?? { sent: 0, received: 0, failed: 0 },
  };
}
