import { type Frame, isIdleSubscription, isUserFrame, statusReceipt } from "../claude/frames.ts";
import { type ErrorCode, toCcmError } from "../core/errors.ts";
import type { LocalTarget } from "../members/local-members.ts";
import { quotationOf, unconfirmedNotice } from "../mirror/notices.ts";
import type { MirrorSender, Mirrors } from "./mirrors.ts";
import type { Outcome } from "./outbox.ts";

/**
 * A mirror that is killed while it tells something is replaced, and told to tell it again: twice is better than never. One that is killed
 * again and again is replaced later and later, up to half a minute.
 */
const MAX_TRIES = 8;
const WORTH_ANOTHER_TRY = new Set<ErrorCode>(["unconfirmed", "timeout"]);

export interface Telling {
  readonly frame: Frame;
  readonly outcome: Outcome;
  readonly sender: LocalTarget;
  /** Whom it was for. */
  readonly memberId: string;
  readonly mirrors: Mirrors;
}

/**
 * Tells a session of this machine, natively and from the mirror that it had written to, that what it wrote did not get there or
 * may not have. Receipts and notices that got lost bring nothing: nobody waits for an answer to one.
 */
export async function tellSender({ frame, outcome, sender, memberId, mirrors }: Telling): Promise<void> {
  const notice = noticeOf(frame, outcome);
  if (!notice) return;
  for (let tries = 1; ; tries += 1) {
    try {
      return await mirrors.deliver(memberId, sender, notice);
    } catch (error) {
      if (!WORTH_ANOTHER_TRY.has(toCcmError(error).code) || tries === MAX_TRIES) throw error;
    }
  }
}

function noticeOf(frame: Frame, outcome: Outcome): ((mirror: MirrorSender) => Frame) | undefined {
  const messageId = frame.msg_id;
  if (messageId === undefined) return undefined;
  if (isIdleSubscription(frame)) return outcome.state === "undeliverable" ? (mirror) => exitedNotice(mirror, messageId) : undefined;
  if (!isUserFrame(frame)) return undefined;
  if (outcome.state === "unconfirmed") return (mirror) => unconfirmedNotice(mirror, quotationOf(frame), outcome.reason ?? "the link broke");
  // Without a drop reason Claude Code words it as "was dropped and NOT delivered, treat it as unsent".
  return ({ address: from }) => statusReceipt({ from, status: "dropped", messageId, reason: outcome.reason ?? outcome.state });
}

function exitedNotice({ address: from }: MirrorSender, subscriptionId: string): Frame {
  return {
    type: "control",
    action: "peer_idle_notice",
    orig_msg_id: subscriptionId,
    state: "exited",
    from,
    msgV: 1,
    msg_id: crypto.randomUUID(),
  };
}
