import type { Clock } from "../../src/core/clock.ts";

interface Timer {
  readonly atMs: number;
  readonly callback: () => void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #monotonicMs = 0;
  #offsetMs = Date.UTC(2026, 0, 1);
  #timers = new Set<Timer>();

  now(): number {
    return this.#offsetMs + this.#monotonicMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.#monotonicMs + delayMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Lets time pass; what falls due happens in order, at its time. */
  advance(ms: number): void {
    const end = this.#monotonicMs + ms;
    for (;;) {
      const due = [...this.#timers].filter((timer) => timer.atMs <= end).sort((left, right) => left.atMs - right.atMs)[0];
      if (!due) break;
      this.#timers.delete(due);
      this.#monotonicMs = Math.max(this.#monotonicMs, due.atMs);
      due.callback();
    }
    this.#monotonicMs = end;
  }

  /** The wall clock jumps, as after a sleep or by hand; no time has passed for timers. */
  jumpWall(ms: number): void {
    this.#offsetMs += ms;
  }
}
