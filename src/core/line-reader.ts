export interface LineReaderOptions {
  /** A longer line is not kept: `onOverflow` is called once for it and the reader skips to its end. */
  readonly maxBytes: number;
  readonly onLine: (line: string) => void;
  readonly onOverflow: (maxBytes: number) => void;
}

const NEWLINE = 0x0a;

/**
 * Splits a byte stream into lines. Works on bytes, so a character cut between two chunks comes out whole; each byte is
 * looked at once; never holds more than `maxBytes`.
 */
export class LineReader {
  readonly #options: LineReaderOptions;
  #parts: Buffer[] = [];
  #heldBytes = 0;
  #skipping = false;

  constructor(options: LineReaderOptions) {
    this.#options = options;
  }

  /** Bytes of the line that has not ended yet. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#hold(chunk.subarray(start, end));
      this.#finishLine();
      start = end + 1;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  /** The end of the stream: what is left without a newline counts as a line. */
  end(): void {
    if (this.#heldBytes > 0) this.#finishLine();
    this.#skipping = false;
  }

  #hold(part: Buffer): void {
    if (this.#skipping) return;
    if (this.#heldBytes + part.length > this.#options.maxBytes) {
      this.#reset();
      this.#skipping = true;
      this.#options.onOverflow(this.#options.maxBytes);
      return;
    }
    if (part.length > 0) this.#parts.push(part);
    this.#heldBytes += part.length;
  }

  #finishLine(): void {
    if (this.#skipping) {
      this.#skipping = false;
      return;
    }
    const line = this.#parts.length === 1 ? this.#parts[0]?.toString("utf8") : Buffer.concat(this.#parts).toString("utf8");
    this.#reset();
    this.#options.onLine((line ?? "").replace(/\r$/, ""));
  }

  #reset(): void {
    this.#parts = [];
    this.#heldBytes = 0;
  }
}
