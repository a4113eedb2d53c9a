import { CcmError } from "../core/errors.ts";
import { isLabel, LABEL_RULE } from "../core/label.ts";

/** For every command that reports something. */
export const jsonOption = { json: { type: "boolean", default: false, describe: "Report as one JSON object" } } as const;

/** For every command that changes what is not its own. */
export const dryRunOption = {
  "dry-run": { type: "boolean", default: false, describe: "Say what would change, and change nothing" },
} as const;

/** Whether a machine's word for its sessions counts here. */
export const attestOption = {
  attest: {
    choices: ["pass", "strip"],
    requiresArg: true,
    describe: "strip: its sessions cannot declare here that they bypass permission prompts",
  },
} as const;

/** A `--label` as given, or `usage`. */
export function requireLabel(label: string): string {
  if (isLabel(label)) return label;
  throw new CcmError("usage", `"${label}" cannot be a label`, { hint: `use ${LABEL_RULE}` });
}

/** Words are taken as they are: `--no-…`, `a.b` and numbers mean nothing special, and of an option that is given twice the last counts. */
export const parserConfiguration = {
  "boolean-negation": false,
  "dot-notation": false,
  "parse-numbers": false,
  "parse-positional-numbers": false,
  "duplicate-arguments-array": false,
} as const;

/** For commands that take several words or an option several times: one value an option, so that what follows it is still the text. */
export const listParserConfiguration = { ...parserConfiguration, "duplicate-arguments-array": true, "greedy-arrays": false } as const;

/** With {@link listParserConfiguration}: of an option that is no list, the last one given counts. */
export function lastOf<Value>(given: Value | Value[]): Value {
  return Array.isArray(given) ? (given.at(-1) as Value) : given;
}
