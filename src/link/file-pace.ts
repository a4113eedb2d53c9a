import { MAX_PIECE_BYTES } from "./protocol.ts";

const MIN_BYTES = 16 * 1024;
const MAX_BYTES = 512 * 1024;
const MIN_PIECE_BYTES = 4 * 1024;
/** What a file may add to the time that a message takes which is sent meanwhile. */
const TARGET_MS = 3;
/** The best of so many pieces counts: one that is late because a processor was busy says nothing of the wire. */
const RECENT_PIECES = 32;

export interface PieceTaken {
  /** From when it was sent until it was taken. */
  readonly latencyMs: number;
  /** Of the file, itself included, in that time. */
  readonly takenBytes: number;
}

/**
 * How much of a file may be under way: what is, is in front of every message. It begins with little and doubles until pieces wait for each
 * other; then it is what the wire takes in the time of a round trip and {@link TARGET_MS}.
 */
export class FilePace {
  #windowBytes = MIN_BYTES;
  #quickestMs = Number.POSITIVE_INFINITY;
  #isBeginning = true;
  readonly #recentRates: number[] = [];

  get windowBytes(): number {
    return this.#windowBytes;
  }

  get pieceBytes(): number {
    return Math.min(MAX_PIECE_BYTES, Math.max(MIN_PIECE_BYTES, Math.floor(this.#windowBytes / 4)));
  }

  taken({ latencyMs, takenBytes }: PieceTaken): void {
    this.#quickestMs = Math.min(this.#quickestMs, latencyMs);
    this.#recentRates.push(takenBytes / Math.max(latencyMs, 0.01));
    if (this.#recentRates.length > RECENT_PIECES) this.#recentRates.shift();
    if (latencyMs - this.#quickestMs > TARGET_MS / 2) this.#isBeginning = false;
    const carried = Math.max(...this.#recentRates) * (this.#quickestMs + TARGET_MS);
    const wanted = this.#isBeginning ? this.#windowBytes + this.pieceBytes : carried;
    this.#windowBytes = Math.min(MAX_BYTES, Math.max(MIN_BYTES, Math.floor(wanted)));
  }
}
