import type { Clock } from "../core/clock.ts";

/** With nobody to dial and no link for this long, a daemon has nothing to do; the next command or `serve` starts another. */
export const IDLE_MS = 3 * 60_000;

export interface IdleWatchOptions {
  readonly clock: Clock;
  readonly isIdle: () => boolean;
  readonly onIdle: () => void;
}

export class IdleWatch {
  readonly #options: IdleWatchOptions;
  #cancel: (() => void) | undefined;
  #running = false;

  constructor(options: IdleWatchOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = true;
    this.check();
  }

  stop(): void {
    this.#running = false;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Something changed: begins to count, or stops counting. */
  check(): void {
    const { clock, isIdle, onIdle } = this.#options;
    if (!this.#running || !isIdle()) {
      this.#cancel?.();
      this.#cancel = undefined;
    } else this.#cancel ??= clock.after(IDLE_MS, onIdle);
  }
}
