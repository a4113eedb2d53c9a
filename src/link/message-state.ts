import { type Frame, isReceipt, isUserFrame, type ReceiptFrame } from "../claude/frames.ts";
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

/** More than an inbox ever drops in the time for which it gathers them. */
const MAX_GATHERED = 500;

/**
 * What it means for messages that `frame` is in this state: for the message itself, or, for a receipt that got there, for those that it is
 * about. An inbox that drops several in a few seconds says so once.
 */
export function stateChanges(frame: Frame, state: MessageState, reason?: string): StateChange[] {
  if (isUserFrame(frame)) return frame.msg_id === undefined ? [] : [{ messageId: frame.msg_id, state, reason }];
  if (!isReceipt(frame) || state !== "written" || !RECEIPT_STATES.has(frame.status)) return [];
  const detail = frame.drop_reason ?? frame.status_detail ?? frame.reason;
  const change = {
    state: frame.status_detail === "refused" ? "refused" : (frame.status as ReceiptState),
    reason: detail && plainLine(detail),
  } as const;
  return [...new Set([frame.orig_msg_id, ...gathered(frame)])].map((messageId) => ({ messageId, ...change }));
}

function gathered({ dropped_msg_ids: ids }: ReceiptFrame): string[] {
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "string").slice(0, MAX_GATHERED) : [];
}
