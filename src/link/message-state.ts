import { type Frame, isReceipt, isUserFrame } from "../claude/frames.ts";
import { plainLine } from "../core/plain-text.ts";
import type { OutcomeState } from "./protocol.ts";

/**
 * What a message has come to, as far as is known here. `queued`, `sent`: on its way to the other daemon. Then how the write into
 * the inbox ended, and after that what the target's receipts say.
 */
export type MessageState = "queued" | "sent" | OutcomeState | ReceiptState;
export type ReceiptState = "held" | "delivered" | "denied" | "expired" | "refused" | "dropped";

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
