import type { Readable, Writable } from "node:stream";
import type { Clock } from "../core/clock.ts";
import type { RemoteExit, SshConnection } from "../ssh/transport.ts";
import type { OwnExecutable } from "./own-executable.ts";

export interface StartServeOptions {
  readonly executable: OwnExecutable;
  /** `paths.cache`: what is prepared for sending is kept in there. */
  readonly cacheDirectory: string;
  /** Called only if the executable has to be sent. */
  readonly onProgress?: (progress: PushProgress) => void;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly timeouts?: Partial<ShipTimeouts>;
}

export interface PushProgress {
  readonly sentBytes: number;
  readonly totalBytes: number;
}

export interface ShipTimeouts {
  /** From starting `serve` until it says its nonce. */
  readonly nonceMs: number;
  /** The longest time in which not one byte of the upload gets through. */
  readonly stallMs: number;
  /** From the upload's last byte until the executable is in place: hashing it on a slow disk. */
  readonly settleMs: number;
  /** For a short question such as which system this is. */
  readonly probeMs: number;
}

/** `ccm serve` on the other machine, past everything that its login shell had to say. */
export interface RemoteServe {
  /** What the other end of the link says, from the first byte after the nonce line. */
  readonly readable: Readable;
  readonly writable: Writable;
  /** The beginning of what came before the nonce, as it came; at most 4 KiB. */
  readonly noise: string;
  /** The end of what was written to stderr so far, as it came; at most 4 KiB. */
  stderrTail(): string;
  readonly exit: Promise<RemoteExit>;
  /** Whether the executable had to be sent. */
  readonly pushed: boolean;
  /** Ends its stdin, gives it two seconds to leave, then closes the channel. Never rejects. The connection stays. */
  close(): Promise<void>;
}

export declare function startServe(connection: SshConnection, options: StartServeOptions): Promise<RemoteServe>;
