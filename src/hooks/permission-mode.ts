import { writePermissionSnapshot } from "../members/permission-snapshot.ts";
import type { HookContext } from "./hook-context.ts";

/** Keeps the mode that Claude Code says the session is in, bound to its process. */
export function notePermissionMode({ session, input, paths }: HookContext): void {
  if (!session || input.permissionMode === undefined) return;
  const { sessionId, permissionMode } = input;
  writePermissionSnapshot(paths.permissionsDirectory, { sessionId, ...session.binding, permissionMode });
}
