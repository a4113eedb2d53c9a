import { type Clock, systemClock } from "../../core/clock.ts";

/** How long a message waits for somebody to decide. */
export const HOLD_TTL_MS = 25 * 60_000;
export const MAX_HELD = 100;

export interface HoldsOptions<Message> {
  /** Nobody decided in time, or there are too many, or the end has come. */
  readonly onExpire: (message: Message) => void;
  readonly clock?: Clock;
  readonly ttlMs?: number;
}

interface Held<Message> {
  readonly message: Message;
  readonly cancel: () => void;
}

/** Messages about which somebody is asked. Each leaves once: taken by whoever decides, or expired. */
export class Holds<Message> {
  readonly #options: HoldsOptions<Message>;
  readonly #held = new Map<string, Held<Message>>();

  constructor(options: HoldsOptions<Message>) {
    this.#options = options;
  }

  get size(): number {
    return this.#held.size;
  }

  add(messageId: string, message: Message): void {
    const { clock = systemClock, ttlMs = HOLD_TTL_MS } = this.#options;
    this.#expire(messageId);
    this.#held.set(messageId, { message, cancel: clock.after(ttlMs, () => this.#expire(messageId)) });
    const [oldest] = this.#held.keys();
    if (this.#held.size > MAX_HELD && oldest !== undefined) this.#expire(oldest);
  }

  /** The message, which is now no longer held; undefined if it is not, or no more. */
  take(messageId: string): Message | undefined {
    const held = this.#held.get(messageId);
    held?.cancel();
    this.#held.delete(messageId);
    return held?.message;
  }

  /** All that is left expires. */
  close(): void {
    for (const messageId of [...this.#held.keys()]) this.#expire(messageId);
  }

  #expire(messageId: string): void {
    const message = this.take(messageId);
    if (message !== undefined) this.#options.onExpire(message);
  }
}
