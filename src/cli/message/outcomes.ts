import type { ErrorCode } from "../../core/errors.ts";
import { plainLine } from "../../core/plain-text.ts";
import { isFinal, type MessageState } from "../../link/message-state.ts";

export interface Outcome {
  /** What a command ends with that leaves a message in this state; success where there is none. */
  readonly code?: ErrorCode;
  /** As a person reads it, `name` being the target as shown. */
  readonly words: (name: string) => string;
}

/** Every state of a message: what it says, and what a script gets for it. */
export const outcomes: Readonly<Record<MessageState, Outcome>> = {
  queued: { code: "queued", words: (name) => `queued for ${name}: its machine is not linked now; it goes out when it is again` },
  sent: { code: "queued", words: (name) => `on its way to ${name}: its machine has not confirmed it yet` },
  written: { words: (name) => `written to ${name}` },
  held: { code: "held", words: (name) => `held at ${name}: its person is asked first` },
  delivered: { words: (name) => `delivered to ${name}: its person let it through` },
  denied: { code: "refused", words: (name) => `denied: the person at ${name} did not let it through` },
  expired: { code: "refused", words: (name) => `expired: nobody at ${name} let it through in time` },
  refused: { code: "refused", words: (name) => `refused: ${name} did not accept it` },
  dropped: { code: "refused", words: (name) => `dropped: the inbox of ${name} discarded it` },
  undeliverable: { code: "undeliverable", words: (name) => `${name} cannot be reached` },
  too_large: { code: "too_large", words: (name) => `too large for the inbox of ${name}` },
  unconfirmed: { code: "unconfirmed", words: (name) => `nobody knows whether it reached ${name}` },
};

/** Final, and the message did not get there as far as is known. */
export function isFailure(state: MessageState): boolean {
  return isFinal(state) && outcomes[state].code !== undefined;
}

/** What went wrong has its reason beside it; of a message that is held or let through the words say as much as the receipt does. */
export function describeState(name: string, { state, reason }: { state: MessageState; reason?: string | undefined }): string {
  const words = outcomes[state].words(plainLine(name, 80));
  return reason === undefined || !isFailure(state) ? words : `${words} (${plainLine(reason)})`;
}
