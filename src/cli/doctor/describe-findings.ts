import { plainLine } from "../../core/plain-text.ts";
import type { Style } from "../output/style.ts";
import { count } from "../output/units.ts";
import type { Finding, Level } from "./finding.ts";

const MAX_DETAIL_CHARACTERS = 400;

/** One line for each check, what to do under those that need it, and the sum at the end. */
export function describeFindings(findings: readonly Finding[], style: Style): string {
  const lines = findings.flatMap((finding) => describeFinding(finding, style));
  return [...lines, "", summary(findings)].join("\n");
}

export function describeFinding({ check, level, subject, detail, fix }: Finding, style: Style): string[] {
  const paint = { ok: style.good, warn: style.warning, fail: style.bad };
  const about = subject === undefined ? "" : `${plainLine(subject, 80)}: `;
  const first = `${paint[level](level.padEnd(4))}  ${check.replaceAll("_", " ")}: ${about}${plainLine(detail, MAX_DETAIL_CHARACTERS)}`;
  return fix === undefined ? [first] : [first, `      ${style.quiet("→")} ${plainLine(fix, MAX_DETAIL_CHARACTERS)}`];
}

export function worstLevel(findings: readonly Finding[]): Level {
  const levels = new Set(findings.map(({ level }) => level));
  return levels.has("fail") ? "fail" : levels.has("warn") ? "warn" : "ok";
}

export function summary(findings: readonly Finding[]): string {
  const failures = findings.filter(({ level }) => level === "fail").length;
  const warnings = findings.filter(({ level }) => level === "warn").length;
  if (failures + warnings === 0) return "all is well";
  return [failures > 0 ? `${failures} to mend` : "nothing to mend", ...(warnings > 0 ? [count(warnings, "warning")] : [])].join(", ");
}
