import { type ReceiptFrame, statusReceipt } from "../frames.ts";
import type { Verdict } from "./admission.ts";

/** The words of Claude Code's own receipts, without what is particular to its person. */
export const receiptReasons = {
  held: "Your message is held until somebody at that session approves it.",
  delivered: "Your message was held, and has been approved and released.",
  denied: "Your message was declined; it was not delivered.",
  expired: "Your message was held and nobody approved it in time; it was not delivered.",
  refused: "That session takes no messages of others.",
  dropped: "That session dropped your message at its inbox; it was not delivered and will not be.",
} as const;

/** What the inbox at `from` tells about a message that it holds or refuses; about one that it drops, drop-receipts.ts does. */
export function verdictReceipt(verdict: Verdict, from: string, messageId: string): ReceiptFrame | undefined {
  if (verdict.kind === "hold") return statusReceipt({ from, messageId, status: "held", reason: receiptReasons.held });
  if (verdict.kind === "refuse") {
    return statusReceipt({ from, messageId, status: "expired", statusDetail: "refused", reason: receiptReasons.refused });
  }
  return undefined;
}

/** What became of a message that was held. */
export function decisionReceipt(status: "delivered" | "denied" | "expired", from: string, messageId: string): ReceiptFrame {
  return statusReceipt({ from, messageId, status, reason: receiptReasons[status] });
}
