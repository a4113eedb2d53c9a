import { randomHex } from "../core/random.ts";

export interface ApiEvent {
  readonly number: number;
  readonly id: string;
  readonly type: string;
  /** JSON, on one line. */
  readonly data: string;
}

/** Where a reader is: the number of the last event that it has; `gap`: why it must be told that there were others. */
export interface Position {
  readonly number: number;
  readonly gap?: string;
}

export type Reading = { readonly position: Position } & (
  | { readonly event: ApiEvent; readonly gap?: undefined }
  | { readonly event?: undefined; readonly gap: string }
);

export interface EventRingLimits {
  readonly maxEvents: number;
  readonly maxCharacters: number;
}

const LIMITS: EventRingLimits = { maxEvents: 1_000, maxCharacters: 8 * 1024 * 1024 };

/**
 * The newest events, for readers that each go at their own pace and may come back. Nothing is kept for a reader: one that is too slow
 * finds that what it wanted next is gone, and is told.
 */
export class EventRing {
  readonly #limits: EventRingLimits;
  /** Of this process: numbers of another one mean nothing here. */
  readonly #boot = randomHex(4);
  readonly #events: ApiEvent[] = [];
  #characters = 0;
  #last = 0;
  #changed = Promise.withResolvers<void>();

  constructor(limits: EventRingLimits = LIMITS) {
    this.#limits = limits;
  }

  push(type: string, value: object): void {
    this.#last += 1;
    const data = JSON.stringify(value);
    this.#events.push({ number: this.#last, id: this.idOf(this.#last), type, data });
    this.#characters += data.length;
    while (this.#events.length > this.#limits.maxEvents || this.#characters > this.#limits.maxCharacters) {
      this.#characters -= this.#events.shift()?.data.length ?? 0;
    }
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  idOf(number: number): string {
    return `${this.#boot}-${number}`;
  }

  /** For a reader that says which event it had last; without a word it gets what comes from now on. */
  positionOf(lastEventId: string | undefined): Position {
    if (lastEventId === undefined || lastEventId === "") return { number: this.#last };
    const [, boot, digits] = /^([0-9a-f]{8})-([0-9]{1,15})$/.exec(lastEventId) ?? [];
    const number = Number(digits);
    if (boot === this.#boot && number <= this.#last) return { number };
    return { number: this.#last - this.#events.length, gap: "the last event id is not one of this process; what it still has follows" };
  }

  /** What a reader at that position gets next, and where it is then; undefined if there is nothing yet. */
  read({ number, gap }: Position): Reading | undefined {
    const kept = this.#last - this.#events.length;
    if (gap !== undefined) return { gap, position: { number: Math.max(number, kept) } };
    if (number < kept) return { gap: `${kept - number} events are no longer kept; what is follows`, position: { number: kept } };
    const event = this.#events[number - kept];
    return event && { event, position: { number: event.number } };
  }

  /** Settles at the next event. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }
}
