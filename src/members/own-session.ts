import path from "node:path";
import { sessionsDirectory } from "../claude/key-file.ts";
import { readAncestors } from "../claude/process-ancestors.ts";
import { type RegistryEntry, readEntry, type UnreachableReason } from "../claude/registry.ts";

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

/** As {@link findOwnSession}, reading the records of ancestors alone: for hooks, which run often beside many mirrors. */
export function readOwnSession(claudeConfig: string, ancestors: readonly number[]): RegistryEntry | undefined {
  const directory = sessionsDirectory(claudeConfig);
  for (const pid of ancestors) {
    const entry = readEntry(path.join(directory, `${pid}.json`), pid);
    if (entry && isVouchedFor(entry)) return entry;
  }
  return undefined;
}

function isVouchedFor({ record, unreachable }: RegistryEntry): boolean {
  return record?.procStart !== undefined && (unreachable === undefined || INBOX_FAULTS.includes(unreachable.reason));
}
