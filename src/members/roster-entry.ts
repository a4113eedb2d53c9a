import { isDeepStrictEqual } from "node:util";
import { type ProcessBinding, parseBinding } from "./process-binding.ts";
import { readSessionFile, writeSessionFile } from "./session-file.ts";
import { cleanTask } from "./task.ts";

/** Who said what a session works on: its person, by a prompt, or its agent, by `ccm task`. */
export type TaskSource = "prompt" | "agent";

/** A session that has joined the chat, as its hooks keep it in `roster/<sessionId>.json`. */
export interface RosterEntry extends ProcessBinding {
  readonly sessionId: string;
  /** As it was called when this was written; the registry knows what it is called now. */
  readonly name?: string | undefined;
  readonly cwd?: string | undefined;
  readonly transcriptPath?: string | undefined;
  /** Milliseconds since the epoch, as `taskAt`. */
  readonly joinedAt: number;
  readonly task?: string | undefined;
  readonly taskSource?: TaskSource | undefined;
  readonly taskAt?: number | undefined;
}

/** Undefined where there is no such entry or it is damaged. */
export function readRosterEntry(directory: string, sessionId: string): RosterEntry | undefined {
  const value = readSessionFile(directory, sessionId);
  const binding = value && parseBinding(value);
  if (!value || !binding || value["sessionId"] !== sessionId) return undefined;
  const { name, cwd, transcriptPath, joinedAt, task, taskSource, taskAt } = value;
  return {
    ...binding,
    sessionId,
    joinedAt: typeof joinedAt === "number" ? joinedAt : 0,
    ...(typeof name === "string" && { name }),
    ...(typeof cwd === "string" && { cwd }),
    ...(typeof transcriptPath === "string" && { transcriptPath }),
    // Whatever wrote the file: a task is one bounded line wherever it is read.
    ...(typeof task === "string" && { task: cleanTask(task) }),
    ...((taskSource === "prompt" || taskSource === "agent") && { taskSource }),
    ...(typeof taskAt === "number" && { taskAt }),
  };
}

/** Throws `state_unusable`. */
export function writeRosterEntry(directory: string, entry: RosterEntry): void {
  writeSessionFile(directory, entry.sessionId, entry);
}

/** What a writer knows of the session; what is left out stays as it was. */
export type RosterChanges = Partial<RosterEntry> & ProcessBinding & Pick<RosterEntry, "sessionId">;

/** Puts these into the session's entry. `joined` if it had none. Nothing is written where nothing changes. Throws `state_unusable`. */
export function putRosterEntry(directory: string, changes: RosterChanges): "joined" | "changed" | "same" {
  const known = readRosterEntry(directory, changes.sessionId);
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as RosterChanges;
  const entry: RosterEntry = { joinedAt: Date.now(), ...known, ...given };
  if (known && isDeepStrictEqual(known, entry)) return "same";
  writeRosterEntry(directory, entry);
  return known ? "changed" : "joined";
}
