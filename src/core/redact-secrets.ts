import { assignmentRules, MAY_HOLD_SECRET, REDACTED, tokenRules } from "./secret-rules.ts";

/** Nothing that is stored is longer; a prompt may be a megabyte. */
const MAX_CHARACTERS = 64 * 1024;

/**
 * The text with what looks like a secret replaced by `[redacted]`; what stands around it, and the name of what it was assigned to, stays.
 * Must run before text is cut to a length: half a key is not recognised any more. A second run changes nothing. What
 * comes after 64 Ki characters is not looked at and not returned.
 */
export function redactSecrets(text: string): string {
  let redacted = text.length > MAX_CHARACTERS ? text.slice(0, MAX_CHARACTERS) : text;
  // Most texts have none of this, and a hook that compiles all rules pays for it.
  if (!MAY_HOLD_SECRET.test(redacted)) return redacted;
  for (const { pattern, replace } of assignmentRules) redacted = redacted.replace(pattern, replace);
  for (const pattern of tokenRules) redacted = redacted.replace(pattern, REDACTED);
  return redacted;
}
