export interface BackoffOptions {
  readonly firstMs: number;
  readonly maxMs: number;
  /** Between 0 and 1. */
  readonly random: () => number;
}

/** Delays between tries: doubled from `firstMs` to `maxMs`, each taken between half and the whole of it. */
export class Backoff {
  readonly #options: BackoffOptions;
  #tries = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  nextMs(): number {
    const { firstMs, maxMs, random } = this.#options;
    const wholeMs = Math.min(maxMs, firstMs * 2 ** this.#tries);
    this.#tries = Math.min(this.#tries + 1, 30);
    return Math.round(wholeMs * (0.5 + random() / 2));
  }

  reset(): void {
    this.#tries = 0;
  }
}
