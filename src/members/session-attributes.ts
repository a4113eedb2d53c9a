import type { SessionRecord } from "../claude/session-record.ts";
import type { Paths } from "../core/paths.ts";
import { declaredClass, type PermissionClass } from "./permission-snapshot.ts";
import { readRosterEntry } from "./roster-entry.ts";
import { findTranscript, taskFromTranscript } from "./transcript-task.ts";

export type RosterPaths = Pick<Paths, "claudeConfig" | "rosterDirectory" | "permissionsDirectory">;

/** What is known of a session of this machine beyond its registry record. */
export interface SessionAttributes {
  readonly task?: string | undefined;
  readonly permissionClass?: PermissionClass | undefined;
}

/** The task of a session that has no roster entry: it began before the plugin, and its transcript is asked. */
export type InferTask = (record: SessionRecord) => string | undefined;

/** As the files say now. */
export function readSessionAttributes(
  paths: RosterPaths,
  record: SessionRecord,
  inferTask: InferTask = (asked) => readTranscriptTask(paths.claudeConfig, asked)?.task,
): SessionAttributes {
  const { sessionId } = record;
  if (sessionId === undefined) return {};
  const entry = readRosterEntry(paths.rosterDirectory, sessionId);
  return { task: entry ? entry.task : inferTask(record), permissionClass: declaredClass(paths.permissionsDirectory, record) };
}

/** Undefined as long as there is no transcript. */
export function readTranscriptTask(claudeConfig: string, record: SessionRecord): { readonly task: string | undefined } | undefined {
  const transcript = findTranscript(claudeConfig, record);
  return transcript === undefined ? undefined : { task: taskFromTranscript(transcript) };
}
