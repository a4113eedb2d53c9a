import { MAX_PIECE_BYTES } from "./protocol.ts";

const START_BYTES = 128 * 1024;
const MIN_BYTES = 16 * 1024;
const MAX_BYTES = 512 * 1024;
const MIN_PIECE_BYTES = 4 * 1024;
/** What a file may add to the time that a message takes which is sent meanwhile. */
const TARGET_MS = 4;

/**
 * How much of a file may be under way: what is, is in front of every message. It grows while pieces are taken as fast as ever, and shrinks
 * when they begin to wait for each other.
 */
export class FilePace {
  #windowBytes = START_BYTES;
  #quickestMs = Number.POSITIVE_INFINITY;
  #takenSinceShrunk = 0;

  get windowBytes(): number {
    return this.#windowBytes;
  }

  get pieceBytes(): number {
    return Math.min(MAX_PIECE_BYTES, Math.max(MIN_PIECE_BYTES, Math.floor(this.#windowBytes / 4)));
  }

  /** A piece was taken so long after it was sent. */
  taken(bytes: number, latencyMs: number): void {
    this.#takenSinceShrunk += bytes;
    this.#quickestMs = Math.min(this.#quickestMs, latencyMs);
    if (latencyMs - this.#quickestMs <= TARGET_MS) {
      this.#windowBytes = Math.min(MAX_BYTES, this.#windowBytes + Math.floor(bytes / 4));
    } else if (this.#takenSinceShrunk >= this.#windowBytes) {
      // What is under way was sent at the old pace.
      this.#windowBytes = Math.max(MIN_BYTES, Math.floor(this.#windowBytes / 2));
      this.#takenSinceShrunk = 0;
    }
  }
}
