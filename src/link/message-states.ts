import { type Clock, systemClock } from "../core/clock.ts";
import { type CcmError, toCcmError } from "../core/errors.ts";
import { isFinal, isFurther, type MessageState, type StateChange } from "./message-state.ts";

/** A state of a message, with when it became known here. */
export interface TimedState {
  readonly state: MessageState;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly reason?: string;
}

/** What has become known of one message, from whoever tells first: the daemon, the inbox, or the receipts. */
export class MessageStates {
  readonly #clock: Clock;
  readonly #onState: (state: TimedState) => void;
  readonly #list: TimedState[] = [];
  #failure: CcmError | undefined;
  #changed = Promise.withResolvers<void>();

  /** `onState`: every state that is one step further, as it comes. */
  constructor({ clock = systemClock, onState = () => undefined }: { clock?: Clock; onState?: (state: TimedState) => void } = {}) {
    this.#clock = clock;
    this.#onState = onState;
  }

  /** In the order in which they became known; none twice. */
  get list(): readonly TimedState[] {
    return this.#list;
  }

  /** The furthest. */
  get current(): TimedState | undefined {
    return this.#list.reduce<TimedState | undefined>(
      (furthest, one) => (furthest && !isFurther(one.state, furthest.state) ? furthest : one),
      undefined,
    );
  }

  /** An inbox that holds a message has got it, also where that is known sooner than that the writing of it is over. */
  add({ state, reason }: Pick<StateChange, "state" | "reason">): void {
    if (state === "held") this.add({ state: "written" });
    const before = this.current;
    if (this.#list.some((known) => known.state === state) || (before && isFinal(before.state))) return;
    const known = { state, at: new Date(this.#clock.now()).toISOString(), ...(reason !== undefined && { reason }) };
    this.#list.push(known);
    if (this.current === known) this.#onState(known);
    this.wake();
  }

  /** Nothing more can become known: whoever waits for a change is woken, and {@link check} throws `error`. */
  fail(error: unknown): void {
    this.#failure ??= toCcmError(error);
    this.wake();
  }

  check(): void {
    if (this.#failure) throw this.#failure;
  }

  /** Ends the waits for a change, for one who waits for something else as well. */
  wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Settles when there is a state more, or after `waitMs`. */
  async change(waitMs: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.after(waitMs, resolve);
    await Promise.race([this.#changed.promise, late]).finally(cancel);
  }
}
