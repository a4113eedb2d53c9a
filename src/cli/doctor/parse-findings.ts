import { isJsonObject } from "../../claude/session-record.ts";
import { plainLine } from "../../core/plain-text.ts";
import type { Finding, Level } from "./finding.ts";

const LEVELS = new Set<unknown>(["ok", "warn", "fail"] satisfies Level[]);
/** A machine has a dozen checks, and one more for each peer and each session in trouble. */
const MAX_FINDINGS = 2_000;

/** What another machine found, made inert; undefined if that is no list of findings. A level that is not known here is a warning. */
export function parseFindings(sent: unknown): Finding[] | undefined {
  if (!Array.isArray(sent)) return undefined;
  return sent.slice(0, MAX_FINDINGS).filter(isJsonObject).map(parseFinding);
}

function parseFinding({ check, level, subject, detail, fix }: Readonly<Record<string, unknown>>): Finding {
  return {
    check: plainLine(String(check), 40),
    level: LEVELS.has(level) ? (level as Level) : "warn",
    ...(typeof subject === "string" && { subject: plainLine(subject, 80) }),
    detail: plainLine(String(detail), 400),
    ...(typeof fix === "string" && { fix: plainLine(fix, 400) }),
  };
}
