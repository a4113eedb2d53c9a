import { type Frame, isIdleSubscription, isUserFrame, statusReceipt } from "../claude/frames.ts";
import type { LocalTarget } from "../members/local-members.ts";
import type { Mirror } from "../mirror/mirror.ts";
import type { Outcome } from "./outbox.ts";

/**
 * Tells a session of this machine, natively, that what it wrote to `mirror` did not get there. A message brings a `dropped`
 * receipt without a drop reason, which Claude Code words as "treat it as unsent"; an idle subscription brings the notice that
 * the session has exited. A receipt or notice that did not get there brings nothing: nobody waits for an answer to one.
 */
export async function tellSender(frame: Frame, outcome: Outcome, sender: LocalTarget, mirror: Mirror): Promise<void> {
  const messageId = frame.msg_id;
  if (messageId === undefined) return;
  if (isUserFrame(frame)) {
    const reason = outcome.reason ?? outcome.state;
    await mirror.deliver(sender, (from) => statusReceipt({ from, status: "dropped", messageId, reason }));
  } else if (isIdleSubscription(frame)) {
    await mirror.deliver(sender, (from) => exitedNotice(from, messageId));
  }
}

function exitedNotice(from: string, subscriptionId: string): Frame {
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
