import path from "node:path";
import { CcmError, exitCodes } from "../../core/errors.ts";
import { allChecks } from "../../selftest/checks/all-checks.ts";
import type { CheckResult } from "../../selftest/run-checks.ts";
import { runSelftest } from "../../selftest/run-selftest.ts";
import { findClaude } from "../init/claude-command.ts";
import { print, printJson } from "../output/print.ts";
import { styleFor } from "../output/style.ts";
import { countOutcomes, describeSelftest } from "./describe-selftest.ts";

export interface SelftestRequest {
  /** Undefined for the one on PATH. */
  readonly claude: string | undefined;
  readonly json: boolean;
}

/** Makes all checks and prints them. The exit code is `selftest_failed` if one does not hold, `selftest_unavailable` if one could not be made. */
export async function reportSelftest({ claude: wanted, json }: SelftestRequest): Promise<void> {
  const claude = wanted === undefined ? requireClaude() : path.resolve(wanted);
  const progress = showProgress(claude, json);
  const startedMs = performance.now();
  const done = await runSelftest({ claude, checks: allChecks, onResult: progress.count }).finally(progress.clear);
  if (done === undefined) return void process.stderr.write("interrupted: what the selftest made is removed\n");
  const { version, results } = done.result;
  const tookMs = Math.round(performance.now() - startedMs);
  const counts = countOutcomes(results);
  if (counts.broken > 0) process.exitCode = exitCodes.selftest_failed;
  else if (counts.unchecked > 0) process.exitCode = exitCodes.selftest_unavailable;
  if (!json) return print(describeSelftest(results, { version, tookMs }, styleFor(process.stdout)));
  const checks = results.map(({ check: { name, relies }, outcome, tookMs }) => ({
    name,
    relies,
    outcome: outcome.kind,
    ...detailOf(outcome),
    tookMs,
  }));
  printJson({
    result: counts.broken > 0 ? "broken" : counts.unchecked > 0 ? "unchecked" : "ok",
    claude: { path: claude, version },
    tookMs,
    counts,
    checks,
  });
}

function requireClaude(): string {
  const claude = findClaude(process.env);
  if (claude !== undefined) return claude;
  throw new CcmError("selftest_unavailable", "there is no claude on PATH", {
    hint: "install Claude Code, or name it: ccm selftest --claude PATH",
  });
}

function detailOf({ detail }: CheckResult["outcome"]): { detail?: string } {
  return detail === undefined ? {} : { detail };
}

/** One line on the terminal that says how far it is, and goes away. */
function showProgress(claude: string, json: boolean): { count(): void; clear(): void } {
  if (json || !process.stderr.isTTY) return { count() {}, clear() {} };
  let done = 0;
  const show = () => process.stderr.write(`\r\u001b[Kchecking ${claude}: ${done} of ${allChecks.length}`);
  show();
  return {
    count() {
      done += 1;
      show();
    },
    clear: () => void process.stderr.write("\r\u001b[K"),
  };
}
