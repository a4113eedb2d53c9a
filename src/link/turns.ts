export interface Turn {
  /** Does not wait any longer. */
  now(): void;
  /** Never begins, if it has not begun. */
  cancel(): void;
}

/** Lets a few things be under way at a time; the others begin in their order as those settle. */
export class Turns {
  readonly #atOnce: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  take(begin: () => Promise<unknown>): Turn {
    const start = () => this.#start(begin);
    this.#waiting.add(start);
    this.#next();
    return {
      now: () => {
        if (this.#waiting.delete(start)) start();
      },
      cancel: () => {
        this.#waiting.delete(start);
      },
    };
  }

  #start(begin: () => Promise<unknown>): void {
    const done = () => {
      this.#running -= 1;
      this.#next();
    };
    this.#running += 1;
    begin().then(done, done);
  }

  #next(): void {
    for (const start of this.#waiting) {
      if (this.#running >= this.#atOnce) return;
      this.#waiting.delete(start);
      start();
    }
  }
}
