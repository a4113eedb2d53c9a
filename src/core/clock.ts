/** Time as everything here sees it, so that a test can be the one who decides when it passes. */
export interface Clock {
  /** Milliseconds since the epoch; may jump. */
  now(): number;
  /** Milliseconds that only ever grow; for durations. */
  monotonicMs(): number;
  /** Calls `callback` once after `delayMs`, unless the returned function is called first. */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
