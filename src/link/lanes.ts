/** What waits behind others, of all lanes together. */
export const laneLimits = { maxWaiting: 10_000, maxWaitingBytes: 64 * 1024 * 1024 };

export interface LaneJob<Result> {
  /** What has to be done before it goes; for most, nothing. */
  readonly prepare: (() => Promise<void>) | undefined;
  /** What it holds in memory while it waits. */
  readonly bytes: () => number;
  readonly go: () => Promise<Result>;
  /** Its result if too much waits already. */
  readonly full: () => Result;
}

/**
 * Jobs of one lane go in the order in which they came, also where one has to be prepared first; lanes do not wait for each other. A job
 * that need not wait goes at once, within the call.
 */
export class Lanes {
  /** Of each lane the last job, settled when that has gone. */
  readonly #tails = new Map<string, Promise<void>>();
  #waiting = 0;
  #waitingBytes = 0;

  async run<Result>(lane: string, job: LaneJob<Result>): Promise<Result> {
    const ahead = this.#tails.get(lane);
    if (!ahead && !job.prepare) return job.go();
    const bytes = job.bytes();
    if (this.#waiting >= laneLimits.maxWaiting || this.#waitingBytes + bytes > laneLimits.maxWaitingBytes) return job.full();
    const { promise: gone, resolve: passOn } = Promise.withResolvers<void>();
    this.#tails.set(lane, gone);
    this.#count(1, bytes);
    let result: Promise<Result>;
    try {
      await ahead;
      await job.prepare?.();
      result = job.go();
    } finally {
      this.#count(-1, -bytes);
      passOn();
      if (this.#tails.get(lane) === gone) this.#tails.delete(lane);
    }
    return result;
  }

  #count(jobs: number, bytes: number): void {
    this.#waiting += jobs;
    this.#waitingBytes += bytes;
  }
}
