import type { TrailLine } from "../audit/read-trail.ts";
import type { ErrorCode } from "../core/errors.ts";
import type { StateChange } from "../link/message-state.ts";

/**
 * What a `ccm` command and the daemon of this machine say to each other: over the control socket, one JSON line each way and
 * one request a connection. `link` is the exception: after it the connection is the link's (see `src/link/PROTOCOL.md`).
 *
 * Both sides are the same user; types suffice here, and what arrives is checked for the fields that are used.
 */
export type ControlRequest =
  | { readonly op: "status" }
  /** Reads config.json again: diallers are added and removed; links that stay are not touched. */
  | { readonly op: "reload" }
  /** Answered when every mirror is gone and every link closed. `final`: no restart follows, so the peers need not wait. */
  | { readonly op: "stop"; readonly final: boolean }
  /** Waits for the link to the peer of that label: ok once it is up, else what the last try ended with. */
  /**
   * A `serve` of another build asks this daemon to make room for that build. It does if it is not the newer one and nobody would
   * notice: no link is up and it dials nobody. Answered with whether it does; it then stops by itself.
   */
  | { readonly op: "yield"; readonly version: string; readonly buildId: string }
  | { readonly op: "await-link"; readonly label: string; readonly timeoutMs: number }
  | SendRequest
  /** What the trails of all linked machines have about a message; the id may be cut short, to 4 characters. */
  | { readonly op: "trace"; readonly messageId: string }
  | FollowRequest
  /** Has every linked machine run `ccm doctor` on itself. */
  | { readonly op: "examine" }
  | { readonly op: "link" };

/**
 * Every state that a message gets from now on, each in a line of its own as it comes; before them a line that says `following`, after
 * `timeoutMs` a last one without either. A message that is sent after the first line is followed from its beginning. The asker may
 * hang up at any time.
 */
export interface FollowRequest {
  readonly op: "follow";
  readonly messageId: string;
  readonly timeoutMs: number;
}

/** Relays one frame to a remote session, as if `from` had written it to that session's mirror. */
export interface SendRequest {
  readonly op: "send";
  /** The mirror, as its registry record names it. */
  readonly mirrorPid: number;
  readonly frame: Readonly<Record<string, unknown>>;
  /** Who sends it where `from` is no session of this machine: a user name. */
  readonly person: string;
  /** `from` is that person's shell, which may have stopped waiting when the message goes out. */
  readonly isFromShell?: boolean;
  /** How long to wait for the outcome; what is still under way then is answered `queued`. */
  readonly waitMs: number;
}

export interface ControlFailure {
  readonly ok: false;
  readonly error: ErrorReport;
}

export interface ErrorReport {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

export type ControlAnswer =
  | ControlFailure
  | { readonly ok: true }
  | { readonly ok: true; readonly status: DaemonStatus }
  | { readonly ok: true; readonly state: "written" | "queued" }
  | { readonly ok: true; readonly yields: boolean }
  | { readonly ok: true; readonly machines: readonly MachineTrace[] }
  | { readonly ok: true; readonly examined: readonly ExaminedMachine[] }
  | { readonly ok: true; readonly following: string }
  | { readonly ok: true; readonly change: StateChange };

export interface MachineTrace {
  readonly machine: string;
  readonly lines: readonly TrailLine[];
  /** Why that machine could not tell. */
  readonly problem?: string;
}

export interface ExaminedMachine {
  readonly machine: string;
  /** As that machine has sent them: to be checked before use. */
  readonly findings?: unknown;
  /** Why there are none. */
  readonly problem?: ErrorReport;
}

/** What `ccm status` shows; the same object is kept in `status.json`. Times are milliseconds since the epoch. */
export interface DaemonStatus {
  readonly running: boolean;
  readonly daemon: {
    readonly pid: number;
    /** With the pid it says for certain which process this is, after any crash. */
    readonly procStart?: string | undefined;
    /** Of the machine: homes are shared between machines. */
    readonly hostname?: string | undefined;
    readonly startedAt: number;
    readonly version: string;
    readonly commit: string;
    readonly buildId: string;
    readonly boot: string;
  };
  readonly machine: { readonly id: string; readonly label: string };
  /** Sessions of this machine that are published to the peers. */
  readonly members: number;
  readonly peers: readonly PeerStatus[];
}

export type PeerState = "connecting" | "linked" | "waiting" | "refused" | "offline";

export interface PeerStatus {
  readonly label: string;
  /** As it was paired; absent where only the other side dials. */
  readonly host?: string | undefined;
  readonly direction: "dialled" | "answered";
  /**
   * connecting: a try is under way; linked: members and messages flow; waiting: the next try is at `retryAt`;
   * refused: the other machine will not have this link, as `error` says; offline: it dialled us and is gone.
   */
  readonly state: PeerState;
  readonly since: number;
  readonly retryAt?: number | undefined;
  readonly error?: ErrorReport | undefined;
  readonly machineId?: string | undefined;
  readonly version?: string | undefined;
  /** How far its clock was ahead of this one's when the link came up. */
  readonly clockDifferenceMs?: number | undefined;
  /** Sessions of that machine that are listed here. */
  readonly members: number;
  /** Sessions of that machine that are not listed here because there are too many. */
  readonly membersOverLimit: number;
  /** Since the daemon started. */
  readonly counters: PeerCounters;
  /** Of all time, as `counters.json` keeps them. */
  readonly totals?: PeerCounters | undefined;
  /** There where its sessions' declarations that they bypass permission prompts do not count here. */
  readonly attest?: "strip" | undefined;
}

/** Messages, not receipts and notices. */
export interface PeerCounters {
  readonly sent: number;
  readonly received: number;
  readonly failed: number;
}
