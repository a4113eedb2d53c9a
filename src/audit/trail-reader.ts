import fs from "node:fs";
import { LineReader } from "../core/line-reader.ts";
import { parseTrailLine, type TrailLine } from "./read-trail.ts";
import { TRAIL_GENERATIONS } from "./trail.ts";

const CHUNK_BYTES = 256 * 1024;
/** A broadcast's line names every recipient. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/**
 * Reads the trail from its oldest line on, again and again to its present end, across rotations: it holds the file that it reads, and when
 * another one has taken its place reads the rest of it first. No line twice, none left out.
 */
export class TrailReader {
  readonly #file: string;
  readonly #lines: LineReader;
  #descriptor: number | undefined;
  #inode: number | undefined;

  constructor(file: string, onLine: (line: TrailLine) => void) {
    this.#file = file;
    this.#lines = new LineReader({
      maxBytes: MAX_LINE_BYTES,
      onLine: (text) => {
        const line = parseTrailLine(text);
        if (line) onLine(line);
      },
      onOverflow: () => undefined,
    });
  }

  /** Reads all that is there by now. */
  catchUp(): void {
    for (;;) {
      this.#readToEnd();
      const next = this.#nextFile();
      if (next === undefined) return;
      // What was written between the reading and the rotation.
      this.#readToEnd();
      this.#open(next);
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) fs.closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #readToEnd(): void {
    if (this.#descriptor === undefined) return;
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let count = -1; count !== 0; ) {
      count = fs.readSync(this.#descriptor, chunk, 0, chunk.length, null);
      this.#lines.push(Buffer.from(chunk.subarray(0, count)));
    }
  }

  /** The file that comes after the one that is held, the oldest if none is, or if that one has been let go of meanwhile. */
  #nextFile(): string | undefined {
    const names = Array.from({ length: TRAIL_GENERATIONS + 1 }, (_, age) => (age === 0 ? this.#file : `${this.#file}.${age}`)).reverse();
    const files = names.flatMap((name) => {
      const status = fs.statSync(name, { throwIfNoEntry: false });
      return status ? [{ name, inode: status.ino }] : [];
    });
    return files[files.findIndex(({ inode }) => inode === this.#inode) + 1]?.name;
  }

  #open(name: string): void {
    this.close();
    this.#lines.end();
    this.#descriptor = fs.openSync(name, "r");
    this.#inode = fs.fstatSync(this.#descriptor).ino;
  }
}
