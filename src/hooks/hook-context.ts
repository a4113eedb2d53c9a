import { appendEvent, type TrailEvent } from "../audit/append-event.ts";
import { readAncestors } from "../claude/process-ancestors.ts";
import { currentPidDomain } from "../claude/process-identity.ts";
import type { SessionRecord } from "../claude/session-record.ts";
import { type LightConfig, readLightConfig } from "../core/light-config.ts";
import type { Paths } from "../core/paths.ts";
import { readOwnSession } from "../members/own-session.ts";
import type { ProcessBinding } from "../members/process-binding.ts";
import { putRosterEntry, type RosterEntry, readRosterEntry } from "../members/roster-entry.ts";
import type { HookInput } from "./hook-input.ts";

/** The session in whose hook this runs, as its registry record vouches for it. */
export interface HookSession {
  readonly record: SessionRecord;
  readonly binding: ProcessBinding;
}

/** What one run of a hook knows and may do. Everything in it is work on files, done at once. */
export class HookContext {
  readonly paths: Paths;
  readonly input: HookInput;
  readonly config: LightConfig;
  readonly ancestors: readonly number[];
  /** Undefined where no ancestor of this process is that session: then nothing may be said in its name. */
  readonly session: HookSession | undefined;

  constructor(paths: Paths, input: HookInput) {
    this.paths = paths;
    this.input = input;
    this.config = readLightConfig(paths);
    this.ancestors = readAncestors();
    this.session = findSession(paths, input, this.ancestors);
  }

  /** Its entry in the roster, which this process may be the one to write. */
  get entry(): RosterEntry | undefined {
    return readRosterEntry(this.paths.rosterDirectory, this.input.sessionId);
  }

  /** Writes the session's entry with these changes; its first one is its joining. */
  putEntry({ record, binding }: HookSession, changes: Partial<RosterEntry>, source: string): void {
    const { paths, input } = this;
    const { sessionId, cwd, transcriptPath } = input;
    const put = putRosterEntry(paths.rosterDirectory, { sessionId, name: record.name, cwd, transcriptPath, ...binding, ...changes });
    if (put === "joined") this.audit({ ev: "join", member: record.name, session_id: sessionId, source });
  }

  audit(event: TrailEvent): void {
    appendEvent({ file: this.paths.auditFile, node: this.config.label }, event);
  }
}

/**
 * The nearest ancestor that the registry knows must be the session that the input names. A session id that was inherited or made
 * up, or one of a session that is not in the registry, so never speaks for another.
 */
function findSession({ claudeConfig }: Paths, { sessionId }: HookInput, ancestors: readonly number[]): HookSession | undefined {
  const record = readOwnSession(claudeConfig, ancestors)?.record;
  if (record?.procStart === undefined || record.sessionId !== sessionId) return undefined;
  const { pid, procStart, pidDomain = currentPidDomain() } = record;
  return { record, binding: { pid, procStart, pidDomain } };
}
