import { CcmError } from "../../core/errors.ts";

const MAX_SECONDS = 86_400;

/** A time as a person types it, up to a day, in milliseconds. Throws `usage`, naming `what`. */
export function parseSeconds(text: string, what: string): number {
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (seconds > 0 && seconds <= MAX_SECONDS) return seconds * 1000;
  throw new CcmError("usage", `${what} cannot be "${text}"`, { hint: `give a number of seconds, ${MAX_SECONDS} at most` });
}
