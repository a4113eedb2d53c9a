import fs from "node:fs";
import { type TrailEvent, trailLine } from "./append-event.ts";

export type { TrailEvent } from "./append-event.ts";

export interface Trail {
  /** Costs the caller no time: the line is made and written at the end of this turn of the event loop. */
  append(event: TrailEvent): void;
  /** Writes now what is not written yet. */
  flush(): void;
}

const MAX_TRAIL_BYTES = 20 * 1024 * 1024;
/** Older files that are kept: `.1` to `.5`. */
export const TRAIL_GENERATIONS = 5;

export interface TrailOptions {
  readonly file: string;
  /** The label of this machine, in every line. */
  readonly node: () => string;
  readonly now?: () => number;
  /** Told once when the trail cannot be written, and once when it can again. */
  readonly onProblem: (message: string) => void;
}

/**
 * The audit trail: one JSON line an event. Hooks and commands append single lines to it as well (`append-event.ts`), but only the daemon,
 * of which there is one, opens it here and rotates: at 20 MB the file becomes `.1`, that `.2`, up to five.
 */
export function openTrail({ file, node, now = Date.now, onProblem }: TrailOptions): Trail {
  let failing = false;
  let waiting: { readonly event: TrailEvent; readonly nowMs: number }[] = [];
  const flush = () => {
    if (waiting.length === 0) return;
    const lines = waiting.map(({ event, nowMs }) => trailLine(node(), event, nowMs));
    waiting = [];
    try {
      rotateIfFull(file);
      fs.appendFileSync(file, lines.join(""), { mode: 0o600 });
      if (failing) onProblem(`the trail ${file} is written again`);
      failing = false;
    } catch (error) {
      if (!failing) onProblem(`the trail cannot be written: ${error instanceof Error ? error.message : String(error)}`);
      failing = true;
    }
  };
  return {
    append(event) {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ event, nowMs: now() });
    },
    flush,
  };
}

function rotateIfFull(file: string): void {
  if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) < MAX_TRAIL_BYTES) return;
  for (let generation = TRAIL_GENERATIONS - 1; generation >= 1; generation -= 1) {
    if (fs.existsSync(`${file}.${generation}`)) fs.renameSync(`${file}.${generation}`, `${file}.${generation + 1}`);
  }
  fs.renameSync(file, `${file}.1`);
}
