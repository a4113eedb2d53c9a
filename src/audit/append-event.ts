import fs from "node:fs";

export interface TrailEvent {
  readonly ev: string;
  readonly [field: string]: unknown;
}

export interface TrailPlace {
  readonly file: string;
  /** The label of this machine, in every line. */
  readonly node: string;
}

export function trailLine(node: string, event: TrailEvent, nowMs = Date.now()): string {
  return `${JSON.stringify({ ts: new Date(nowMs).toISOString(), node, ...event })}\n`;
}

/**
 * Writes one line into the trail by one `write` at its end, so that lines of several processes never mix. Hooks and commands call
 * this; only the daemon rotates the file, and a line that meets a rotation is at the end of the older file. Throws as the system does.
 */
export function appendEvent({ file, node }: TrailPlace, event: TrailEvent): void {
  const line = Buffer.from(trailLine(node, event));
  const descriptor = fs.openSync(file, "a", 0o600);
  try {
    fs.writeSync(descriptor, line);
  } finally {
    fs.closeSync(descriptor);
  }
}
