import type { Clock } from "../core/clock.ts";

export interface DeadlineOptions {
  readonly ms: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** What to reject with when the time is up. */
  readonly onTimeout: () => Error;
}

/** Settles as `work` does, or rejects when the time is up or with the signal's reason. The work itself goes on: its caller ends it. */
export function beforeDeadline<Result>(work: Promise<Result>, { ms, clock, signal, onTimeout }: DeadlineOptions): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = (): void => finish(() => reject(signal?.reason));
    const cancelTimer = clock.after(ms, () => finish(() => reject(onTimeout())));
    const finish = (settle: () => void): void => {
      cancelTimer();
      signal?.removeEventListener("abort", abort);
      settle();
    };
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
    work.then(
      (result) => finish(() => resolve(result)),
      (error) => finish(() => reject(error)),
    );
  });
}
