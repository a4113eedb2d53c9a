/** Entries by id; of too many the oldest is forgotten. */
export class Recent<Value> {
  readonly #maxEntries: number;
  readonly #entries = new Map<string, Value>();

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  set(id: string, value: Value): void {
    this.#entries.delete(id);
    this.#entries.set(id, value);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#maxEntries && oldest !== undefined) this.#entries.delete(oldest);
  }

  get(id: string): Value | undefined {
    return this.#entries.get(id);
  }

  take(id: string): Value | undefined {
    const value = this.#entries.get(id);
    this.#entries.delete(id);
    return value;
  }

  entries(): [string, Value][] {
    return [...this.#entries];
  }
}
