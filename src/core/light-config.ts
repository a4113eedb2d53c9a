import { defaultLabel, isLabel } from "./label.ts";
import type { Paths } from "./paths.ts";
import { readFileIfPresent } from "./private-file.ts";

/** What programs that start often need of `config.json`. */
export interface LightConfig {
  /** What this machine calls itself. */
  readonly label: string;
  readonly auditPreviewCharacters: number;
}

/** As the schema in `daemon/config.ts` has it. */
export const DEFAULT_PREVIEW_CHARACTERS = 160;

/** Without the schema: what is not usable gives its default. Whoever needs to know why reads it with `readConfig`. */
export function readLightConfig(paths: Pick<Paths, "configFile">): LightConfig {
  const { label, audit_preview_chars: characters } = readObject(paths.configFile);
  return {
    label: typeof label === "string" && isLabel(label) ? label : defaultLabel(),
    auditPreviewCharacters: Number.isSafeInteger(characters) && Number(characters) >= 0 ? Number(characters) : DEFAULT_PREVIEW_CHARACTERS,
  };
}

function readObject(file: string): Record<string, unknown> {
  try {
    const content: unknown = JSON.parse(readFileIfPresent(file) ?? "{}");
    return typeof content === "object" && content !== null ? { ...content } : {};
  } catch {
    return {};
  }
}
