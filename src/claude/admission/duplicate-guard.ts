import { createHash } from "node:crypto";
import type { Clock } from "../../core/clock.ts";

/** How long a sender may not say the same again. */
export const DUPLICATE_WINDOW_MS = 30_000;
const MAX_REMEMBERED = 10_000;

/** Remembers what each sender said, as hashes. The id of a message does not matter, its text does. */
export class DuplicateGuard {
  readonly #clock: Clock;
  readonly #saidAtMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isDuplicate(sender: string, body: string): boolean {
    this.#forgetOld();
    return this.#saidAtMs.has(keyOf(sender, body));
  }

  /** Of a message that is taken: one that was not may be sent again. */
  remember(sender: string, body: string): void {
    this.#saidAtMs.set(keyOf(sender, body), this.#clock.monotonicMs());
    this.#forgetOld();
  }

  /** The oldest are the first. */
  #forgetOld(): void {
    const endMs = this.#clock.monotonicMs() - DUPLICATE_WINDOW_MS;
    for (const [key, atMs] of this.#saidAtMs) {
      if (atMs > endMs && this.#saidAtMs.size <= MAX_REMEMBERED) return;
      this.#saidAtMs.delete(key);
    }
  }
}

function keyOf(sender: string, body: string): string {
  return createHash("sha256").update(sender).update("\n").update(body).digest("base64");
}
