import fs from "node:fs";
import path from "node:path";
import { type Clock, systemClock } from "../core/clock.ts";
import { toJson } from "../core/json.ts";
import { sessionsDirectory } from "./key-file.ts";
import { listRecordPids, type RegistryEntry, readEntry, vetEntry } from "./registry.ts";

const DEFAULT_POLL_MS = 1_000;
/** A burst of file events is answered with one reading: 100 sessions that start at once are not 100 readings. */
const COALESCE_MS = 20;
/** Two writes this close together can leave one modification time, so a file this fresh is read again at the next look. */
const FRESH_MS = 100;
/** How long a record that was good keeps standing for its session while the file is half written. */
const HALF_WRITTEN_MS = 1_000;
const HALF_WRITTEN_LOOK_MS = 50;

export interface RegistryViewOptions {
  readonly claudeConfig: string;
  readonly clock?: Clock;
  /** The longest that a process which vanished without a trace is still shown. 1 s unless told otherwise. */
  readonly pollMs?: number;
  /** Told once of each thing that goes wrong; the view keeps what it has and tries again. */
  readonly onProblem?: (message: string) => void;
}

export type RegistryListener = (entries: readonly RegistryEntry[]) => void;

/** The registry as it is now: file events make it quick, a poll makes it certain. */
export interface RegistryView {
  entries(): readonly RegistryEntry[];
  /** Called after anything visible has changed, never for a mere `updatedAt`. Returns what ends it. */
  onChange(listener: RegistryListener): () => void;
  /** Looks now instead of at the next poll. */
  refresh(): void;
  /** No listener is called after this. May be called again. */
  close(): void;
}

/** Reads the registry and keeps it read until closed. The directory need not exist yet. */
export function openRegistryView(options: RegistryViewOptions): RegistryView {
  return new LiveRegistryView(options);
}

interface Cached {
  readonly entry: RegistryEntry;
  /** Modification time, size and inode: as long as these stay, the file is not read again. */
  readonly stamp: string;
  /** Since when the file has been malformed, on the monotonic clock. */
  readonly malformedSince?: number;
}

class LiveRegistryView implements RegistryView {
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #pollMs: number;
  readonly #onProblem: (message: string) => void;
  readonly #listeners = new Set<RegistryListener>();
  readonly #dirty = new Set<string>();
  #cache = new Map<number, Cached>();
  #shown = "";
  readonly #reported = new Set<string>();
  #watcher: fs.FSWatcher | undefined;
  #watchedInode: number | undefined;
  #cancelPoll: () => void = () => {};
  #cancelSoon: (() => void) | undefined;
  #closed = false;

  constructor({ claudeConfig, clock = systemClock, pollMs = DEFAULT_POLL_MS, onProblem = () => {} }: RegistryViewOptions) {
    this.#directory = sessionsDirectory(claudeConfig);
    this.#clock = clock;
    this.#pollMs = pollMs;
    this.#onProblem = onProblem;
    this.refresh();
  }

  entries(): readonly RegistryEntry[] {
    return [...this.#cache.values()].map(({ entry }) => entry);
  }

  onChange(listener: RegistryListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#closed = true;
    this.#listeners.clear();
    this.#cancelPoll();
    this.#cancelSoon?.();
    this.#stopWatching();
  }

  refresh(): void {
    if (this.#closed) return;
    this.#cancelPoll();
    this.#cancelSoon?.();
    this.#cancelSoon = undefined;
    this.#watch();
    this.#read();
    this.#cancelPoll = this.#clock.after(this.#pollMs, () => this.refresh());
    this.#emitIfChanged();
  }

  #read(): void {
    try {
      const cache = new Map<number, Cached>();
      for (const pid of listRecordPids(this.#directory)) {
        const next = this.#readOne(pid);
        if (next) cache.set(pid, next);
      }
      this.#cache = cache;
      this.#dirty.clear();
    } catch (error) {
      this.#report(`cannot read ${this.#directory}`, error);
    }
  }

  #readOne(pid: number): Cached | undefined {
    const file = path.join(this.#directory, `${pid}.json`);
    const before = this.#cache.get(pid);
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (!stat) return undefined;
    const stamp = `${stat.mtimeMs} ${stat.size} ${stat.ino}`;
    const unchanged = before?.stamp === stamp && !this.#dirty.has(path.basename(file)) && before.malformedSince === undefined;
    if (unchanged) return { ...before, entry: vetEntry(before.entry) };
    const entry = readEntry(file, pid);
    if (!entry) return undefined;
    const isFresh = Math.abs(this.#clock.now() - stat.mtimeMs) < FRESH_MS;
    return this.#bridgeHalfWritten(before, { entry, stamp: isFresh ? "" : stamp });
  }

  /** A record that is being rewritten must not look as if its session had gone. */
  #bridgeHalfWritten(before: Cached | undefined, next: Cached): Cached {
    if (next.entry.unreachable?.reason !== "record_malformed") return next;
    const now = this.#clock.monotonicMs();
    const malformedSince = before?.malformedSince ?? now;
    if (now - malformedSince >= HALF_WRITTEN_MS) return { ...next, malformedSince };
    this.#lookSoon(HALF_WRITTEN_LOOK_MS);
    return { entry: before?.entry.record ? vetEntry(before.entry) : next.entry, stamp: "", malformedSince };
  }

  #emitIfChanged(): void {
    // Each for itself: one that cannot be compared must not hide a change of the others.
    const shown = this.entries()
      .map((entry) => toJson(visiblePart(entry)) ?? entry.file)
      .join("\n");
    if (shown === this.#shown) return;
    this.#shown = shown;
    for (const listener of [...this.#listeners]) {
      try {
        listener(this.entries());
      } catch (error) {
        this.#report("a listener failed", error);
      }
    }
  }

  /** The directory may come, go and come again as another one; until it is there, the poll is what finds it. */
  #watch(): void {
    const inode = fs.statSync(this.#directory, { throwIfNoEntry: false })?.ino;
    if (inode === this.#watchedInode) return;
    this.#stopWatching();
    if (inode === undefined) return;
    try {
      this.#watcher = fs.watch(this.#directory, (_event, name) => this.#noteEvent(name));
      this.#watcher.on("error", () => this.#stopWatching());
      this.#watchedInode = inode;
    } catch (error) {
      this.#report(`cannot watch ${this.#directory}, looking every ${this.#pollMs} ms instead`, error);
    }
  }

  #stopWatching(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#watchedInode = undefined;
  }

  #noteEvent(name: string | null): void {
    if (name !== null) this.#dirty.add(name);
    this.#lookSoon(COALESCE_MS);
  }

  #lookSoon(delayMs: number): void {
    if (this.#closed) return;
    this.#cancelSoon ??= this.#clock.after(delayMs, () => this.refresh());
  }

  #report(what: string, error: unknown): void {
    const message = `registry: ${what}: ${error instanceof Error ? error.message : String(error)}`;
    if (this.#reported.has(message)) return;
    this.#reported.add(message);
    this.#onProblem(message);
  }
}

/** All of an entry but the time of its last writing, which changes without anything else having. */
function visiblePart({ pid, record, unreachable }: RegistryEntry): unknown {
  if (!record) return { pid, unreachable };
  const { updatedAt: _ignored, ...raw } = record.raw;
  return { pid, raw, unreachable };
}
