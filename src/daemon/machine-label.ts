import { defaultLabel, isLabel } from "../core/label.ts";
import type { Paths } from "../core/paths.ts";
import { readFileIfPresent } from "../core/private-file.ts";

/**
 * What this machine calls itself, for programs that start often: the one key of `config.json`, without the schema. A file that says
 * nothing usable gives the default; whoever needs to know why reads it with `readConfig`.
 */
export function readMachineLabel(paths: Paths): string {
  try {
    const content: unknown = JSON.parse(readFileIfPresent(paths.configFile) ?? "{}");
    const label = typeof content === "object" && content !== null && "label" in content ? content.label : undefined;
    return typeof label === "string" && isLabel(label) ? label : defaultLabel();
  } catch {
    return defaultLabel();
  }
}
