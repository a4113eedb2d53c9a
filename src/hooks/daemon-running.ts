import { hasProcStart } from "../claude/process-identity.ts";
import { isJsonObject } from "../claude/session-record.ts";
import type { Paths } from "../core/paths.ts";
import { readFileIfPresent } from "../core/private-file.ts";

/** Whether the process that last wrote `status.json` still runs. No connection is made: a hook does not wait for a daemon. */
export function isDaemonRunning({ statusFile }: Paths): boolean {
  const status = parse(readFileIfPresent(statusFile));
  const daemon = isJsonObject(status) && status["running"] === true ? status["daemon"] : undefined;
  if (!isJsonObject(daemon)) return false;
  const { pid, procStart } = daemon;
  return typeof pid === "number" && typeof procStart === "string" && hasProcStart(pid, procStart);
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return undefined;
  }
}
