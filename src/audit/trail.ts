import fs from "node:fs";
import { appendEvent, type TrailEvent } from "./append-event.ts";

export type { TrailEvent } from "./append-event.ts";

export interface Trail {
  append(event: TrailEvent): void;
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
 * The audit trail: one JSON line an event. Hooks and commands
 * append to it as well (`append-event.ts`); only the daemon opens this and rotates. At 20 MB the file becomes `.1`, that `.2`, up to five.
 */
export function openTrail({ file, node, now = Date.now, onProblem }: TrailOptions): Trail {
  let failing = false;
  return {
    append(event) {
      try {
        rotateIfFull(file);
        appendEvent({ file, node: node(), nowMs: now() }, event);
        if (failing) onProblem(`the trail ${file} is written again`);
        failing = false;
      } catch (error) {
        if (!failing) onProblem(`the trail cannot be written: ${error instanceof Error ? error.message : String(error)}`);
        failing = true;
      }
    },
  };
}

function rotateIfFull(file: string): void {
  if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) < MAX_TRAIL_BYTES) return;
  for (let generation = TRAIL_GENERATIONS - 1; generation >= 1; generation -= 1) {
    if (fs.existsSync(`${file}.${generation}`)) fs.renameSync(`${file}.${generation}`, `${file}.${generation + 1}`);
  }
  fs.renameSync(file, `${file}.1`);
}
