import { setTimeout as delay } from "node:timers/promises";

export interface WaitOptions {
  /** What is awaited, for the message of the error. */
  readonly what: string;
  readonly deadlineMs?: number;
  readonly pollMs?: number;
  /** More for the message of the error: what was there instead. */
  readonly otherwise?: () => string | Promise<string>;
}

/** Asks `condition` until it gives something other than undefined, false or null, and returns that. Rejects at the deadline. */
export async function waitFor<Value>(
  condition: () => Value | Promise<Value>,
  { what, deadlineMs = 10_000, pollMs = 20, otherwise }: WaitOptions,
): Promise<NonNullable<Exclude<Value, false>>> {
  const until = performance.now() + deadlineMs;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== null && value !== false) return value as NonNullable<Exclude<Value, false>>;
    if (performance.now() >= until) {
      const there = otherwise === undefined ? "" : `; there was: ${await otherwise()}`;
      throw new Error(`waited ${deadlineMs} ms in vain for ${what}${there}`);
    }
    await delay(pollMs);
  }
}

/** `promise`, or a rejection that names `what` after `deadlineMs`. The promise itself goes on. */
export async function withDeadline<Value>(promise: Promise<Value>, what: string, deadlineMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${deadlineMs} ms in vain for ${what}`)), deadlineMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
