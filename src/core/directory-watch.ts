import fs from "node:fs";
import type { Clock } from "./clock.ts";

export interface DirectoryWatchOptions {
  readonly directory: string;
  readonly clock: Clock;
  /** A burst of changes is reported once. */
  readonly coalesceMs: number;
  /** Looks this often even if no event came, and watches again where the directory is another one by now. */
  readonly pollMs: number;
  /** The files that changed; undefined where it is only time to look. */
  readonly onChange: (names: ReadonlySet<string> | undefined) => void;
  /** Told once: this directory cannot be watched, and only the poll is left. */
  readonly onProblem: (message: string) => void;
}

/** Tells of changes in a directory, which may come, go and come again: file events make it quick, a poll makes it certain. */
export class DirectoryWatch {
  readonly #options: DirectoryWatchOptions;
  #watcher: fs.FSWatcher | undefined;
  #watchedInode: number | undefined;
  #changed = new Set<string>();
  #cancelSoon: (() => void) | undefined;
  #cancelPoll: () => void = () => {};
  #hasProblem = false;
  #closed = false;

  constructor(options: DirectoryWatchOptions) {
    this.#options = options;
    this.#watch();
    this.#pollLater();
  }

  /** Nothing is reported after this. May be called again. */
  close(): void {
    this.#closed = true;
    this.#cancelPoll();
    this.#cancelSoon?.();
    this.#stop();
  }

  #pollLater(): void {
    const { clock, pollMs, onChange } = this.#options;
    this.#cancelPoll = clock.after(pollMs, () => {
      this.#watch();
      this.#pollLater();
      onChange(undefined);
    });
  }

  #watch(): void {
    const { directory, onProblem } = this.#options;
    const inode = fs.statSync(directory, { throwIfNoEntry: false })?.ino;
    if (inode === this.#watchedInode) return;
    this.#stop();
    if (inode === undefined) return;
    try {
      this.#watcher = fs.watch(directory, (_event, name) => this.#note(name));
      this.#watcher.on("error", () => this.#stop());
      this.#watchedInode = inode;
    } catch (error) {
      if (!this.#hasProblem) onProblem(`cannot watch ${directory}: ${error instanceof Error ? error.message : String(error)}`);
      this.#hasProblem = true;
    }
  }

  #note(name: string | null): void {
    if (this.#closed) return;
    if (name !== null) this.#changed.add(name);
    this.#cancelSoon ??= this.#options.clock.after(this.#options.coalesceMs, () => {
      const changed = this.#changed;
      this.#changed = new Set();
      this.#cancelSoon = undefined;
      this.#options.onChange(changed);
    });
  }

  #stop(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#watchedInode = undefined;
  }
}
