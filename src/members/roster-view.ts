import type { SessionRecord } from "../claude/session-record.ts";
import type { Clock } from "../core/clock.ts";
import { DirectoryWatch } from "../core/directory-watch.ts";
import { ensurePrivateDirectory } from "../core/private-file.ts";
import { type RosterPaths, readSessionAttributes, readTranscriptTask, type SessionAttributes } from "./session-attributes.ts";

/** A hook writes one file by renaming it: two events, together. */
const COALESCE_MS = 10;
const POLL_MS = 2_000;
/** A session that has no transcript yet is asked for it again, but not at every look. */
const TRANSCRIPT_RETRY_MS = 10_000;

export interface RosterViewOptions {
  readonly paths: RosterPaths;
  readonly clock: Clock;
  readonly onProblem: (message: string) => void;
}

/** What hooks and `ccm task` keep about the sessions of this machine, kept read. A transcript is read at most once a session. */
export class RosterView {
  readonly #options: RosterViewOptions;
  readonly #watches: readonly DirectoryWatch[];
  readonly #listeners = new Set<() => void>();
  readonly #inferred = new Map<string, { readonly task: string | undefined; readonly retryAtMs: number }>();

  constructor(options: RosterViewOptions) {
    this.#options = options;
    const { paths, clock, onProblem } = options;
    this.#watches = [paths.rosterDirectory, paths.permissionsDirectory].map((directory) => {
      ensurePrivateDirectory(directory);
      return new DirectoryWatch({ directory, clock, onProblem, coalesceMs: COALESCE_MS, pollMs: POLL_MS, onChange: () => this.#emit() });
    });
  }

  attributesOf(record: SessionRecord): SessionAttributes {
    return readSessionAttributes(this.#options.paths, record, (asked) => this.#inferTask(asked));
  }

  /** Called when something may have changed. Returns what ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#listeners.clear();
    for (const watch of this.#watches) watch.close();
  }

  #emit(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #inferTask(record: SessionRecord): string | undefined {
    const { clock, paths } = this.#options;
    const { sessionId = "" } = record;
    const known = this.#inferred.get(sessionId);
    if (known && clock.monotonicMs() < known.retryAtMs) return known.task;
    const found = readTranscriptTask(paths.claudeConfig, record);
    const retryAtMs = found ? Number.POSITIVE_INFINITY : clock.monotonicMs() + TRANSCRIPT_RETRY_MS;
    this.#inferred.set(sessionId, { task: found?.task, retryAtMs });
    return found?.task;
  }
}
