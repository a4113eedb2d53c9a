import { CcmError } from "../core/errors.ts";
import { isLabel, LABEL_RULE } from "../core/label.ts";

/** For every command that reports something. */
export const jsonOption = { json: { type: "boolean", default: false, describe: "Report as one JSON object" } } as const;

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
