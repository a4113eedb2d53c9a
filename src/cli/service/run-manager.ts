import { CcmError } from "../../core/errors.ts";
import { plainLine } from "../../core/plain-text.ts";
import { runProgram } from "../../core/run-program.ts";

const TIMEOUT_MS = 30_000;

export interface ManagerAnswer {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Asks the service manager's command; whatever exit code it has is an answer. Rejects with `service_failed` where there is none. */
export async function askManager(command: string, args: readonly string[]): Promise<ManagerAnswer> {
  try {
    return { ok: true, ...(await runProgram(command, args, { timeout: TIMEOUT_MS })) };
  } catch (error) {
    const { code, stdout = "", stderr = "" } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code === "number") return { ok: false, stdout, stderr };
    throw new CcmError("service_failed", `${command} cannot be run: ${(error as Error).message}`, {
      hint: "start the daemon with ccm up instead, for example at login",
      cause: error,
    });
  }
}

/** As {@link askManager}, for what must succeed. */
export async function tellManager(command: string, args: readonly string[]): Promise<void> {
  const { ok, stderr, stdout } = await askManager(command, args);
  if (ok) return;
  const said = plainLine(stderr.trim() || stdout.trim(), 300) || "it says nothing";
  throw new CcmError("service_failed", `${command} ${args.join(" ")}: ${said}`, {
    hint: "start the daemon with ccm up instead, for example at login",
  });
}
