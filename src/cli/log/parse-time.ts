import { CcmError } from "../../core/errors.ts";
import { plainLine } from "../../core/plain-text.ts";

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** A moment as a person says it: `10m`, `2h`, `3d` ago, or a date with or without a time, here where no zone is given. Throws `usage`. */
export function parseTime(text: string, option: string, nowMs: number): number {
  const [, count, unit = ""] = /^(\d+(?:\.\d+)?)\s*([smhdw])$/.exec(text.trim()) ?? [];
  if (count !== undefined) return nowMs - Number(count) * (UNIT_MS[unit] ?? 0);
  // A date alone would be taken for midnight in London.
  const timeMs = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00` : text);
  if (!Number.isNaN(timeMs)) return timeMs;
  throw new CcmError("usage", `${option} cannot be "${plainLine(text, 40)}"`, { hint: "use 10m, 2h, 3d, 2026-01-31 or 2026-01-31T14:00" });
}
