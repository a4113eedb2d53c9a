import { CcmError } from "../../../core/errors.ts";
import { plainLine } from "../../../core/plain-text.ts";
import { failureReport, reportFailure } from "../../output/failure.ts";
import { printJson } from "../../output/print.ts";
import type { HostProblem } from "./wanted-host.ts";

const MAX_TOLD = 50;

/** Tells of every host that cannot be paired, one line each. One alone is told with what to do about it, as a failure of its own: thrown. */
export function refuseHosts(problems: readonly HostProblem[], { json }: { json: boolean }): void {
  const [first, ...others] = problems.map(located);
  if (!first) return;
  if (others.length === 0) throw first;
  const sum = new CcmError("usage", `${problems.length} hosts cannot be paired, so none was`, {
    hint: "mend these lines, or leave them out",
  });
  if (json) printJson({ ...failureReport(sum), problems: problems.map(located).map(({ message }) => message) });
  else {
    const told = [first, ...others].slice(0, MAX_TOLD);
    for (const { message } of told) process.stderr.write(`ccm: ${plainLine(message, 300)}\n`);
    if (told.length < problems.length) process.stderr.write(`ccm: and ${problems.length - told.length} more\n`);
    reportFailure(sum, { json });
  }
  process.exitCode = sum.exitCode;
}

function located({ where, error }: HostProblem): CcmError {
  if (where === undefined) return error;
  const { code, message, hint } = error;
  return new CcmError(code, `${where}: ${message}`, { cause: error, ...(hint !== undefined && { hint }) });
}
