import { type Clock, systemClock } from "../../core/clock.ts";
import { isFinal } from "../../link/message-state.ts";
import type { MessageStates, TimedState } from "../../link/message-states.ts";

export interface AwaitOutcomeOptions {
  readonly waitMs: number;
  /** Whether what the target's inbox makes of the message will be told here; else nothing follows "written". */
  readonly receiptsCome: boolean;
  readonly clock?: Clock;
}

/** A receiver that holds or drops a message says so in 0.2 s; the link and a busy machine get the rest. One that takes it says nothing. */
export const RECEIPT_WINDOW_MS = 5_000;

/**
 * Waits until nothing more is to be expected of a message: it has a final state, or was written and no receipt has come since, or
 * `waitMs` are over. A message that is held is waited for to the end of that. Returns the last state; rejects with what `states` failed with.
 */
export async function awaitOutcome(states: MessageStates, options: AwaitOutcomeOptions): Promise<TimedState | undefined> {
  const { waitMs, receiptsCome, clock = systemClock } = options;
  const endMs = clock.monotonicMs() + waitMs;
  let windowEndMs: number | undefined;
  for (;;) {
    const current = states.current;
    if (current && isFinal(current.state)) return current;
    states.check();
    if (current?.state === "written") windowEndMs ??= clock.monotonicMs() + (receiptsCome ? RECEIPT_WINDOW_MS : 0);
    const limitMs = current?.state === "written" ? Math.min(endMs, windowEndMs ?? endMs) : endMs;
    const leftMs = limitMs - clock.monotonicMs();
    if (leftMs <= 0) return current;
    await states.change(leftMs);
  }
}
