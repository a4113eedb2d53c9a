import type { Readable, Writable } from "node:stream";
import type { Clock } from "../core/clock.ts";
import type { SshTarget } from "./ssh-target.ts";

/**
 * An authenticated connection to another machine, whatever carries it. Every transport passes the same tests, and each lives in
 * a folder of its own with the same file names.
 */
export interface SshConnection {
  /** For logs and messages: `user@host:port`, and the transport. */
  readonly description: string;
  /** Settles, never rejects, when the connection has ended, whoever ended it. */
  readonly closed: Promise<void>;
  /**
   * Starts a command through the account's login shell, without a terminal. Settles when the server has accepted it. Rejects with
   * `ssh_failed` where the server refuses or the connection ends, and `timeout` where it does not answer.
   */
  exec(command: string): Promise<RemoteProcess>;
  /** Ends the connection and everything on it. Safe to call more than once. */
  close(): void;
}

export interface RemoteProcess {
  /** A write fails, and it never hangs, when the remote process or the connection is gone. */
  readonly stdin: Writable;
  /** Ends, never errors, with the remote process's output or with the connection. */
  readonly stdout: Readable;
  /** As `stdout`. It has to be read: both share one window. */
  readonly stderr: Readable;
  /** Settles, never rejects, with the exit status; both are undefined if the connection ended first. Output may still follow. */
  readonly exit: Promise<RemoteExit>;
  /** Gives the process up: its streams end at once here. What it does over there on a closed stdin is its own affair. */
  close(): void;
}

export interface RemoteExit {
  readonly code: number | undefined;
  /** Where the transport cannot tell a signal it is undefined, and the code is 255. */
  readonly signal: string | undefined;
}

export type TransportName = "ssh2" | "ssh";

export interface ConnectOptions {
  /** Gives up and closes whatever is open; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly env?: NodeJS.ProcessEnv;
  readonly clock?: Clock;
  readonly timeouts?: Partial<SshTimeouts>;
  /**
   * `SHA256:…` of keys that a person has compared: a host, or a jump on the way, that is not known and shows one of them becomes known.
   * A changed or revoked key is refused all the same.
   */
  readonly acceptedFingerprints?: readonly string[];
}

export interface SshTimeouts {
  /** Until the TCP connection stands; where this is not given, the configuration's ConnectTimeout comes before the default. */
  readonly connectMs: number;
  /** From then until the server has let us in. */
  readonly handshakeMs: number;
  /** From asking for a command until the server has accepted it. */
  readonly execMs: number;
  /** A silent connection is asked for a sign of life this often, and is dead after three without an answer. */
  readonly keepaliveMs: number;
}

export const defaultTimeouts: SshTimeouts = { connectMs: 10_000, handshakeMs: 20_000, execMs: 15_000, keepaliveMs: 5_000 };

/** What a transport is: the function that its `connect.ts` exports. */
export type ConnectTransport = (target: SshTarget, options: ConnectOptions) => Promise<SshConnection>;
