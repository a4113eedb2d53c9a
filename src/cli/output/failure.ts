import { CcmError, type ErrorCode, toCcmError } from "../../core/errors.ts";
import { plainLine } from "../../core/plain-text.ts";
import { styleFor } from "./style.ts";

/** Characters; a message may quote what the other side said. */
const MAX_MESSAGE_CHARACTERS = 600;

/** How a failure looks in JSON, on stdout. */
export interface FailureReport {
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly hint?: string };
}

/** The one way in which a command fails: told once, on stderr or as JSON on stdout; the exit code is the table's. */
export function reportFailure(thrown: unknown, options: { readonly json: boolean }): void {
  const error = withDebugHint(toCcmError(thrown));
  if (options.json) process.stdout.write(`${JSON.stringify(failureReport(error))}\n`);
  else process.stderr.write(describeFailure(error));
  if (process.env.CCM_DEBUG === "1") process.stderr.write(`${stackOf(error)}\n`);
  process.exitCode = error.exitCode;
}

export function failureReport(error: CcmError): FailureReport {
  const { code, message, hint } = error;
  return { error: hint === undefined ? { code, message } : { code, message, hint } };
}

function describeFailure(error: CcmError): string {
  const style = styleFor(process.stderr);
  const first = `${style.bad("ccm:")} ${plainLine(error.message, MAX_MESSAGE_CHARACTERS)}\n`;
  return error.hint === undefined ? first : `${first}    ${plainLine(error.hint, MAX_MESSAGE_CHARACTERS)}\n`;
}

function withDebugHint(error: CcmError): CcmError {
  if (error.code !== "internal" || error.hint !== undefined) return error;
  return new CcmError("internal", error.message, { cause: error.cause, hint: "set CCM_DEBUG=1 to see where this comes from" });
}

function stackOf(error: CcmError): string {
  const { cause } = error;
  return cause instanceof Error ? `${error.stack}\ncaused by ${cause.stack}` : String(error.stack);
}
