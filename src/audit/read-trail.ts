import fs from "node:fs";
import readline from "node:readline";
import type { TrailEvent } from "./trail.ts";
import { TRAIL_GENERATIONS } from "./trail.ts";

export interface TrailLine extends TrailEvent {
  /** ISO 8601, UTC, milliseconds. */
  readonly ts: string;
  /** The label of the machine that wrote it. */
  readonly node: string;
}

/** All lines of the trail, oldest first, through the older files. A line that is damaged is left out. */
export async function* readTrail(file: string): AsyncGenerator<TrailLine> {
  for (let generation = TRAIL_GENERATIONS; generation >= 0; generation -= 1) {
    const name = generation === 0 ? file : `${file}.${generation}`;
    if (fs.existsSync(name)) yield* readLines(name);
  }
}

/** The lines about one message, or about all whose id begins like this. */
export async function messageLines(file: string, idPrefix: string): Promise<TrailLine[]> {
  const found: TrailLine[] = [];
  for await (const line of readTrail(file)) if (typeof line["msg_id"] === "string" && line["msg_id"].startsWith(idPrefix)) found.push(line);
  return found;
}

async function* readLines(file: string): AsyncGenerator<TrailLine> {
  const input = fs.createReadStream(file, { encoding: "utf8" });
  for await (const text of readline.createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    const line = parseTrailLine(text);
    if (line) yield line;
  }
}

/** Undefined for a line that is damaged, or none of a trail. */
export function parseTrailLine(text: string): TrailLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isTrailLine(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isTrailLine(value: unknown): value is TrailLine {
  return (
    typeof value === "object" &&
    value !== null &&
    "ev" in value &&
    typeof value.ev === "string" &&
    "ts" in value &&
    typeof value.ts === "string"
  );
}
