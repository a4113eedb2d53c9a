import type { ErrorCode } from "../../core/errors.ts";
import { plainLine } from "../../core/plain-text.ts";
import type { MessageState } from "../../link/message-state.ts";

export interface Outcome {
  /** A message gets no state of a lower rank than it had; of the last rank it gets one only. */
  readonly rank: number;
  /** What a command ends with that leaves a message in this state; success where there is none. */
  readonly code?: ErrorCode;
  /** As a person reads it, `name` being the target as shown. */
  readonly words: (name: string) => string;
}

const FINAL_RANK = 4;

/** Every state of a message: what it says, and what a script gets for it. */
export const outcomes: Readonly<Record<MessageState, Outcome>> = {
  queued: { rank: 0, code: "queued", words: (name) => `queued for ${name}: its machine is not linked now; it goes out when it is again` },
  sent: { rank: 1, code: "queued", words: (name) => `on its way to ${name}: its machine has not confirmed it yet` },
  written: { rank: 2, words: (name) => `written to ${name}` },
  held: { rank: 3, code: "held", words: (name) => `held at ${name}: its person is asked first` },
  delivered: { rank: FINAL_RANK, words: (name) => `delivered to ${name}: its person let it through` },
  denied: { rank: FINAL_RANK, code: "refused", words: (name) => `denied: the person at ${name} did not let it through` },
  expired: { rank: FINAL_RANK, code: "refused", words: (name) => `expired: nobody at ${name} let it through in time` },
  refused: { rank: FINAL_RANK, code: "refused", words: (name) => `refused: ${name} did not accept it` },
  dropped: { rank: FINAL_RANK, code: "refused", words: (name) => `dropped: the inbox of ${name} discarded it` },
  undeliverable: { rank: FINAL_RANK, code: "undeliverable", words: (name) => `${name} cannot be reached` },
  too_large: { rank: FINAL_RANK, code: "too_large", words: (name) => `too large for the inbox of ${name}` },
  unconfirmed: { rank: FINAL_RANK, code: "unconfirmed", words: (name) => `nobody knows whether it reached ${name}` },
};

/** Nothing follows. */
export function isFinal(state: MessageState): boolean {
  return outcomes[state].rank === FINAL_RANK;
}

/** Final, and the message did not get there as far as is known. */
export function isFailure(state: MessageState): boolean {
  return isFinal(state) && outcomes[state].code !== undefined;
}

export function isMessageState(text: unknown): text is MessageState {
  return typeof text === "string" && Object.hasOwn(outcomes, text);
}

/** What went wrong has its reason beside it; of a message that is held or let through the words say as much as the receipt does. */
export function describeState(name: string, { state, reason }: { state: MessageState; reason?: string | undefined }): string {
  const words = outcomes[state].words(plainLine(name, 80));
  return reason === undefined || !isFailure(state) ? words : `${words} (${plainLine(reason)})`;
}
