import { type Clock, systemClock } from "../../src/core/clock.ts";

/** The system's clock, whose wall time a test can set as somebody sets the time of a machine; timers go on as they are. */
export class JumpingClock implements Clock {
  #jumpedMs = 0;

  now(): number {
    return systemClock.now() + this.#jumpedMs;
  }

  monotonicMs(): number {
    return systemClock.monotonicMs();
  }

  after(delayMs: number, callback: () => void): () => void {
    return systemClock.after(delayMs, callback);
  }

  jump(ms: number): void {
    this.#jumpedMs += ms;
  }
}
