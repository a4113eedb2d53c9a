import { setTimeout as delay } from "node:timers/promises";
import { Broken } from "./outcome.ts";

const LOOK_AGAIN_MS = 20;
/** Many times what it takes, for a machine that is busy with other things. */
export const DEADLINE_MS = 15_000;

export interface UntilOptions {
  /** What is waited for, as in "waited in vain for …". */
  readonly what: string;
  readonly signal: AbortSignal;
  readonly deadlineMs?: number;
  /** What to throw when the time is up; {@link Broken} unless told otherwise. */
  readonly otherwise?: (message: string) => Error;
}

/** Waits until `look` returns something truthy, and returns that. Rejects at the deadline, or with the signal's reason. */
export async function until<Result>(
  look: () => Result,
  { what, signal, deadlineMs = DEADLINE_MS, otherwise = (message) => new Broken(message) }: UntilOptions,
): Promise<NonNullable<Exclude<Result, false | "">>> {
  const endMs = performance.now() + deadlineMs;
  for (;;) {
    const found = look();
    if (found) return found as NonNullable<Exclude<Result, false | "">>;
    if (performance.now() > endMs) throw otherwise(`waited ${deadlineMs / 1000} s in vain for ${what}`);
    await delay(LOOK_AGAIN_MS, undefined, { signal });
  }
}
