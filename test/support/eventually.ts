import { setTimeout as delay } from "node:timers/promises";

export interface EventuallyOptions {
  /** After this long the wait fails. */
  readonly deadlineMs?: number;
  /** The pause between two looks. */
  readonly everyMs?: number;
  /** What was waited for, for the failure's message. */
  readonly what?: string;
}

/**
 * Waits until `condition` returns something truthy and resolves with that. A condition that throws counts as not met yet; at
 * the deadline (2 s unless told otherwise) the wait rejects and names the last thing that it threw.
 */
export async function eventually<Result>(
  condition: () => Result | Promise<Result>,
  options: EventuallyOptions = {},
): Promise<Exclude<Awaited<Result>, undefined | null | false>> {
  const { deadlineMs = 2_000, everyMs = 10, what = "the condition" } = options;
  const timedOut = new Error(`${what} did not come true within ${deadlineMs} ms`);
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    try {
      const result = await condition();
      if (result) return result as Exclude<Awaited<Result>, undefined | null | false>;
      timedOut.cause = undefined;
    } catch (error) {
      timedOut.cause = error;
    }
    if (performance.now() >= deadline) throw timedOut;
    await delay(everyMs);
  }
}
