export interface BoundedLogLimits {
  readonly maxEntries: number;
  /** Of what {@link BoundedLog.put} was told that the entries take. */
  readonly maxCharacters: number;
}

/** Values by id in the order of their coming; the oldest go when there are too many or they are too long together. */
export class BoundedLog<Value> {
  readonly #limits: BoundedLogLimits;
  readonly #entries = new Map<string, { value: Value; characters: number }>();
  #characters = 0;

  constructor(limits: BoundedLogLimits) {
    this.#limits = limits;
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  get(id: string): Value | undefined {
    return this.#entries.get(id)?.value;
  }

  /** From the oldest to the newest. */
  values(): Value[] {
    return [...this.#entries.values()].map(({ value }) => value);
  }

  /** Returns what had to go for it. */
  put(id: string, value: Value, characters: number): Value[] {
    this.delete(id);
    this.#entries.set(id, { value, characters });
    this.#characters += characters;
    const gone: Value[] = [];
    for (const [oldest, entry] of this.#entries) {
      const isFull = this.#entries.size > this.#limits.maxEntries || this.#characters > this.#limits.maxCharacters;
      if (!isFull || oldest === id) break;
      this.delete(oldest);
      gone.push(entry.value);
    }
    return gone;
  }

  delete(id: string): boolean {
    this.#characters -= this.#entries.get(id)?.characters ?? 0;
    return this.#entries.delete(id);
  }
}
