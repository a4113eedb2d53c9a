import fs from "node:fs";

export interface TrailEvent {
  readonly ev: string;
  readonly [field: string]: unknown;
}

export interface Trail {
  /** Costs the caller no time: the line is written at the end of this turn of the event loop. */
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
 * The audit trail: one JSON line an event. One process writes it, the daemon. At 20 MB the file becomes `.1`, that `.2`, up to five.
 */
export function openTrail({ file, node, now = Date.now, onProblem }: TrailOptions): Trail {
  let failing = false;
  let waiting = "";
  const flush = () => {
    const lines = waiting;
    waiting = "";
    if (lines === "") return;
    try {
      rotateIfFull(file);
      fs.appendFileSync(file, lines, { mode: 0o600 });
      if (failing) onProblem(`the trail ${file} is written again`);
      failing = false;
    } catch (error) {
      if (!failing) onProblem(`the trail cannot be written: ${error instanceof Error ? error.message : String(error)}`);
      failing = true;
    }
  };
  return {
    append(event) {
      if (waiting === "") setImmediate(flush);
      waiting += `${JSON.stringify({ ts: new Date(now()).toISOString(), node: node(), ...event })}\n`;
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
