import { eventually } from "../../support/eventually.ts";

export interface WaitOptions {
  /** What is awaited, for the message of the error. */
  readonly what: string;
  readonly deadlineMs?: number;
  readonly pollMs?: number;
  /** More for the message of the error: what was there instead. */
  readonly otherwise?: () => string | Promise<string>;
}

/** As {@link eventually}, with more time, as real hosts need it, and with more to say at the deadline. */
export async function waitFor<Value>(
  condition: () => Value | Promise<Value>,
  { what, deadlineMs = 10_000, pollMs = 20, otherwise }: WaitOptions,
): Promise<NonNullable<Exclude<Value, false>>> {
  try {
    const value = await eventually(condition, { what, deadlineMs, everyMs: pollMs });
    return value as NonNullable<Exclude<Value, false>>;
  } catch (error) {
    if (otherwise === undefined) throw error;
    throw new Error(`${error instanceof Error ? error.message : error}; there was: ${await otherwise()}`, { cause: error });
  }
}

/** `promise`, or a rejection that names `what` after `deadlineMs`. The promise itself goes on. */
export async function withDeadline<Value>(promise: Promise<Value>, what: string, deadlineMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come true within ${deadlineMs} ms`)), deadlineMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
