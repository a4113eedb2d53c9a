import type { Clock } from "../core/clock.ts";
import { isRunning, parseBinding } from "./process-binding.ts";
import { readRosterEntry } from "./roster-entry.ts";
import type { RosterPaths } from "./session-attributes.ts";
import { listSessionFiles, readSessionFile, removeSessionFile } from "./session-file.ts";

/** How long a session's process may be gone before what it left is taken away: its own SessionEnd hook may be under way. */
export const SWEEP_AFTER_MS = 120_000;
const LOOK_EVERY_MS = 10_000;

export interface SweptSession {
  readonly sessionId: string;
  readonly name: string | undefined;
}

export interface RosterSweepOptions {
  readonly paths: Omit<RosterPaths, "claudeConfig">;
  readonly clock: Clock;
  readonly onSwept: (left: SweptSession) => void;
  readonly onProblem: (message: string) => void;
}

/** Takes away the roster entries of sessions that ended without a SessionEnd hook: crashed, or killed with -9. */
export class RosterSweep {
  readonly #options: RosterSweepOptions;
  /** Since when on the monotonic clock; a file that is damaged counts as one whose session is gone. */
  readonly #goneSince = new Map<string, number>();
  #cancel: () => void = () => {};

  constructor(options: RosterSweepOptions) {
    this.#options = options;
    this.#look();
  }

  stop(): void {
    this.#cancel();
  }

  #look(): void {
    const { clock, paths, onSwept } = this.#options;
    this.#cancel = clock.after(LOOK_EVERY_MS, () => this.#look());
    for (const sessionId of this.#overdue(paths.rosterDirectory)) {
      const name = readRosterEntry(paths.rosterDirectory, sessionId)?.name;
      if (this.#remove(paths.rosterDirectory, sessionId)) onSwept({ sessionId, name });
    }
    for (const sessionId of this.#overdue(paths.permissionsDirectory)) this.#remove(paths.permissionsDirectory, sessionId);
  }

  #overdue(directory: string): string[] {
    const now = this.#options.clock.monotonicMs();
    return listSessionFiles(directory).filter((sessionId) => {
      const key = `${directory} ${sessionId}`;
      if (!isGone(directory, sessionId)) {
        this.#goneSince.delete(key);
        return false;
      }
      const since = this.#goneSince.get(key) ?? now;
      this.#goneSince.set(key, since);
      return now - since >= SWEEP_AFTER_MS;
    });
  }

  #remove(directory: string, sessionId: string): boolean {
    try {
      removeSessionFile(directory, sessionId);
      this.#goneSince.delete(`${directory} ${sessionId}`);
      return true;
    } catch (error) {
      this.#options.onProblem(`cannot take ${sessionId} off the roster: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  }
}

/** One of another pid domain is not ours to judge. */
function isGone(directory: string, sessionId: string): boolean {
  const binding = parseBinding(readSessionFile(directory, sessionId) ?? {});
  return binding === undefined || isRunning(binding) === false;
}
