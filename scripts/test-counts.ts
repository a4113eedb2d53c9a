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

/** The files of the tests that failed, as the reporter lists them at the end: `test at test/unit/a.test.ts:5:1`. A test file that a helper failed counts as that file. */
export function failedFiles(output: string): string[] {
  const [, list = ""] = output.split(/^✖ failing tests:$/mu);
  const files = [
    ...list.matchAll(/^test at (\S+?):\d+:\d+$/gmu),
    ...list.matchAll(/^✖ (\S+\.test\.ts)\b/gmu),
    ...list.matchAll(/left behind by (\S+?):?$/gmu),
  ].map(([, file = ""]) => file);
  return [...new Set(files.filter((file) => file.endsWith(".test.ts")))];
}
