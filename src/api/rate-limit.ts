import type { Clock } from "../core/clock.ts";

export interface RateLimitOptions {
  readonly burst: number;
  readonly perSecond: number;
  readonly clock: Clock;
}

/** Far more than can come over a loopback. */
const MAX_CLIENTS = 1_000;

/** A token bucket for each client. */
export class RateLimit {
  readonly #options: RateLimitOptions;
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();

  constructor(options: RateLimitOptions) {
    this.#options = options;
  }

  /** Undefined if the client may go on; else the whole seconds after which it may. */
  take(client: string): number | undefined {
    const { burst, perSecond, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    const { tokens: before, atMs } = this.#buckets.get(client) ?? { tokens: burst, atMs: nowMs };
    const tokens = Math.min(burst, before + ((nowMs - atMs) / 1_000) * perSecond);
    const isAllowed = tokens >= 1;
    // The order of a map is that of insertion: the first has been quiet the longest.
    this.#buckets.delete(client);
    this.#buckets.set(client, { tokens: isAllowed ? tokens - 1 : tokens, atMs: nowMs });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MAX_CLIENTS && oldest !== undefined) this.#buckets.delete(oldest);
    return isAllowed ? undefined : Math.max(1, Math.ceil((1 - tokens) / perSecond));
  }
}
