import type { Clock } from "../core/clock.ts";
import type { SshConnection } from "../ssh/transport.ts";

/** What every step on the other machine needs. */
export interface ShipContext {
  readonly connection: SshConnection;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly timeouts: ShipTimeouts;
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

export const defaultShipTimeouts: ShipTimeouts = { nonceMs: 30_000, stallMs: 30_000, settleMs: 60_000, probeMs: 15_000 };
