import { type Frame, isIdleSubscription, isUserFrame, statusReceipt } from "../claude/frames.ts";
import type { LocalTarget } from "../members/local-members.ts";
import type { Mirrors } from "./mirrors.ts";
import type { Outcome } from "./outbox.ts";

export interface Telling {
  readonly frame: Frame;
  readonly outcome: Outcome;
  readonly sender: LocalTarget;
  /** Whom it was for. */
  readonly memberId: string;
  readonly mirrors: Mirrors;
}

/**
 * Tells a session of this machine, natively, that what it wrote to a mirror did not get there. A message brings a `dropped`
 * receipt without a drop reason, which Claude Code words as "treat it as unsent"; an idle subscription brings the notice that
 * the session has exited. A receipt or notice that did not get there brings nothing: nobody waits for an answer to one.
 */
export async function tellSender({ frame, outcome, sender, memberId, mirrors }: Telling): Promise<void> {
  const messageId = frame.msg_id;
  if (messageId === undefined) return;
  if (isUserFrame(frame)) {
    const reason = outcome.reason ?? outcome.state;
    await mirrors.deliver(memberId, sender, ({ address: from }) => statusReceipt({ from, status: "dropped", messageId, reason }));
  } else if (isIdleSubscription(frame)) {
    await mirrors.deliver(memberId, sender, ({ address }) => exitedNotice(address, messageId));
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
