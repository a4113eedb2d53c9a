import { type Frame, isReceipt, isUserFrame } from "../claude/frames.ts";
import { plainLine } from "../core/plain-text.ts";
import type { OutcomeState } from "./protocol.ts";

/**
 * What a message has come to, as far as is known here. `queued`, `sent`: on its way to the other daemon. Then how the write into
 * the inbox ended, and after that what the target's receipts say.
 */
export type MessageState = "queued" | "sent" | OutcomeState | ReceiptState;
export type ReceiptState = "held" | "delivered" | "denied" | "expired" | "refused" | "dropped";

/** A message gets no state of a lower rank than it had; of the last rank it gets one only. */
const ranks: Readonly<Record<MessageState, number>> = {
  queued: 0,
  sent: 1,
  written: 2,
  held: 3,
  delivered: 4,
  denied: 4,
  expired: 4,
  refused: 4,
  dropped: 4,
  undeliverable: 4,
  too_large: 4,
  unconfirmed: 4,
};
const FINAL_RANK = 4;

export const messageStates = Object.keys(ranks) as readonly MessageState[];

export function isMessageState(text: unknown): text is MessageState {
  return typeof text === "string" && Object.hasOwn(ranks, text);
}

/** Whether `after` says more of a message than `before`. */
export function isFurther(after: MessageState, before: MessageState): boolean {
  return ranks[after] > ranks[before];
}

/** Nothing follows. */
export function isFinal(state: MessageState): boolean {
  return ranks[state] === FINAL_RANK;
}

export interface StateChange {
  readonly messageId: string;
  readonly state: MessageState;
  readonly reason?: string | undefined;
}

const RECEIPT_STATES = new Set<string>(["held", "delivered", "denied", "expired", "dropped"]);

/** What it means for a message that `frame` is in this state: of the message itself, or, for a receipt that got there, of the one it is about. */
export function stateChange(frame: Frame, state: MessageState, reason?: string): StateChange | undefined {
  if (isUserFrame(frame)) return frame.msg_id === undefined ? undefined : { messageId: frame.msg_id, state, reason };
  if (!isReceipt(frame) || state !== "written" || !RECEIPT_STATES.has(frame.status)) return undefined;
  const detail = frame.drop_reason ?? frame.status_detail ?? frame.reason;
  return {
    messageId: frame.orig_msg_id,
    state: frame.status_detail === "refused" ? "refused" : (frame.status as ReceiptState),
    reason: detail && plainLine(detail),
  };
}
