import { readAncestors } from "../claude/process-ancestors.ts";
import type { RegistryEntry, UnreachableReason } from "../claude/registry.ts";

/** Faults of an inbox leave no doubt about whose process it is; the others do. */
const INBOX_FAULTS: readonly UnreachableReason[] = ["socket_unset", "socket_missing", "socket_unsafe", "socket_refused"];

/**
 * The session that this process runs in: its nearest ancestor whose record in the registry is really its own, by pid, start and pid
 * domain. An inherited CLAUDE_CODE_SESSION_ID proves nothing and is not looked at.
 */
export function findOwnSession(
  entries: readonly RegistryEntry[],
  ancestors: readonly number[] = readAncestors(),
): RegistryEntry | undefined {
  const sessions = new Map(entries.filter(isVouchedFor).map((entry) => [entry.pid, entry]));
  const pid = ancestors.find((ancestor) => sessions.has(ancestor));
  return pid === undefined ? undefined : sessions.get(pid);
}

function isVouchedFor({ record, unreachable }: RegistryEntry): boolean {
  return record?.procStart !== undefined && (unreachable === undefined || INBOX_FAULTS.includes(unreachable.reason));
}
