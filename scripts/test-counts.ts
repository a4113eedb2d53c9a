export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * The sums in the output of `node --test`, whose last lines are `ℹ pass 12` or, where it is not a terminal's reporter, `# pass 12`.
 * Undefined if this is no test run's output. Cancelled tests count as failed, `todo` as skipped.
 */
export function countTests(output: string): TestCounts | undefined {
  const sum = (name: string) => {
    const lines = [...output.matchAll(new RegExp(`^(?:ℹ|#) ${name} (\\d+)$`, "gmu"))];
    return lines.length === 0 ? undefined : Number(lines.at(-1)?.[1]);
  };
  const passed = sum("pass");
  if (passed === undefined) return undefined;
  return { passed, failed: (sum("fail") ?? 0) + (sum("cancelled") ?? 0), skipped: (sum("skipped") ?? 0) + (sum("todo") ?? 0) };
}
