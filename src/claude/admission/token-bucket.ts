import type { Clock } from "../../core/clock.ts";

export interface BucketSize {
  readonly capacity: number;
  readonly refillPerSecond: number;
}

/** What adding up fractions may lose. */
const TOLERANCE = 1e-9;
const WHOLE = 1 - TOLERANCE;

/** Full at first; each message takes a token, and they come back with time. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #size: BucketSize;
  #tokens: number;
  #atMs: number;

  constructor(size: BucketSize, clock: Clock) {
    this.#clock = clock;
    this.#size = size;
    this.#tokens = size.capacity;
    this.#atMs = clock.monotonicMs();
  }

  /** Takes one, if there is one. */
  take(): boolean {
    this.#refill();
    if (this.#tokens < WHOLE) return false;
    this.#tokens = Math.max(0, this.#tokens - 1);
    return true;
  }

  /** How long until there is one. */
  get waitMs(): number {
    this.#refill();
    return this.#tokens >= WHOLE ? 0 : Math.ceil(((1 - this.#tokens) * 1_000) / this.#size.refillPerSecond);
  }

  get isFull(): boolean {
    this.#refill();
    return this.#tokens >= this.#size.capacity - TOLERANCE;
  }

  #refill(): void {
    const nowMs = this.#clock.monotonicMs();
    const gained = ((nowMs - this.#atMs) * this.#size.refillPerSecond) / 1_000;
    this.#tokens = Math.min(this.#size.capacity, this.#tokens + gained);
    this.#atMs = nowMs;
  }
}
