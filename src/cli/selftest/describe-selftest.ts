import { plainLine } from "../../core/plain-text.ts";
import type { Outcome } from "../../selftest/outcome.ts";
import type { CheckResult } from "../../selftest/run-checks.ts";
import type { Style } from "../output/style.ts";

const MAX_DETAIL_CHARACTERS = 500;
const WORDS: Readonly<Record<Outcome["kind"], string>> = {
  holds: "holds",
  broken: "DOES NOT HOLD",
  unchecked: "not checked",
  off: "switched off",
};

export type OutcomeCounts = Readonly<Record<Outcome["kind"], number>>;

export function countOutcomes(results: readonly CheckResult[]): OutcomeCounts {
  const number = (kind: Outcome["kind"]) => results.filter(({ outcome }) => outcome.kind === kind).length;
  return { holds: number("holds"), broken: number("broken"), unchecked: number("unchecked"), off: number("off") };
}

export interface SelftestSummary {
  readonly version: string;
  readonly tookMs: number;
}

/** A line for each thing that we rely on, a second one under it where there is more to say, and the sum. */
export function describeSelftest(results: readonly CheckResult[], { version, tookMs }: SelftestSummary, style: Style): string {
  const paint = { holds: style.good, broken: style.bad, unchecked: style.warning, off: style.quiet };
  const stateWidth = Math.max(...Object.values(WORDS).map(({ length }) => length));
  const nameWidth = Math.max(...results.map(({ check }) => check.name.length));
  const lines = results.flatMap(({ check, outcome: { kind, detail } }) => {
    const first = `${paint[kind](WORDS[kind].padEnd(stateWidth))}  ${check.name.padEnd(nameWidth)}  ${check.relies}`;
    const indent = " ".repeat(stateWidth + nameWidth + 4);
    return detail === undefined ? [first] : [first, `${indent}${style.quiet("→")} ${plainLine(detail, MAX_DETAIL_CHARACTERS)}`];
  });
  return [...lines, "", `Claude Code ${plainLine(version, 40)}: ${summary(countOutcomes(results))}; ${Math.round(tookMs / 1000)} s`].join(
    "\n",
  );
}

function summary({ holds, broken, unchecked, off }: OutcomeCounts): string {
  const parts = [
    [holds, "hold"],
    [broken, "do not"],
    [unchecked, "could not be checked"],
    [off, "switched off"],
  ] as const;
  return parts.flatMap(([number, what]) => (number > 0 ? [`${number} ${what}`] : [])).join(", ");
}
