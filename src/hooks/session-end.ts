import { isRunning } from "../members/process-binding.ts";
import { removeSessionFile } from "../members/session-file.ts";
import type { HookContext } from "./hook-context.ts";
import type { HookStep } from "./run-hook.ts";

/**
 * Takes the session off the roster. Claude Code has by then removed its registry record, so it is the roster entry that says which
 * process may do this: one that still runs and is an ancestor of this one.
 */
export const sessionEndSteps: readonly HookStep[] = [leave];

function leave(context: HookContext): void {
  const { paths, input, ancestors, entry } = context;
  if (!entry || !ancestors.includes(entry.pid) || isRunning(entry) !== true) return;
  removeSessionFile(paths.rosterDirectory, input.sessionId);
  removeSessionFile(paths.permissionsDirectory, input.sessionId);
  context.audit({ ev: "leave", member: entry.name, session_id: input.sessionId, reason: input.reason ?? "other" });
}
