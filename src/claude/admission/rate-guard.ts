import type { Clock } from "../../core/clock.ts";
import { type BucketSize, TokenBucket } from "./token-bucket.ts";

/** What Claude Code grants each sender. */
export const NATIVE_RATE: BucketSize = { capacity: 30, refillPerSecond: 0.5 };
export const MAX_TRACKED_SENDERS = 256;

/** A bucket for each sender. Of too many, the one that has been silent longest is forgotten, and has a full one when it comes back. */
export class RateGuard {
  readonly #clock: Clock;
  readonly #rate: BucketSize;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(clock: Clock, rate: BucketSize = NATIVE_RATE) {
    this.#clock = clock;
    this.#rate = rate;
  }

  /** Counts a message of that sender; false if it has had too many. */
  take(sender: string): boolean {
    const bucket = this.#buckets.get(sender) ?? new TokenBucket(this.#rate, this.#clock);
    // Last in the map: the order is the order of the last message.
    this.#buckets.delete(sender);
    this.#buckets.set(sender, bucket);
    const [silent] = this.#buckets.keys();
    if (this.#buckets.size > MAX_TRACKED_SENDERS && silent !== undefined) this.#buckets.delete(silent);
    return bucket.take();
  }

  get trackedSenders(): number {
    return this.#buckets.size;
  }
}
