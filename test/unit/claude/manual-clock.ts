import type { Clock } from "../../../src/core/clock.ts";

/** Time that passes only when the test says so. */
export class ManualClock implements Clock {
  #nowMs = 1_000_000;
  readonly #timers = new Set<{ readonly atMs: number; readonly callback: () => void }>();

  now(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How many callbacks still wait. */
  get waiting(): number {
    return this.#timers.size;
  }

  advance(byMs: number): void {
    this.#nowMs += byMs;
    for (const timer of [...this.#timers]) {
      if (timer.atMs > this.#nowMs || !this.#timers.delete(timer)) continue;
      timer.callback();
    }
  }
}
