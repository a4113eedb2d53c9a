import { buildEnvelope, parseEnvelope, sanitizeFromName } from "../claude/envelope.ts";
import { type Frame, isIdleSubscription, isUserFrame, statusReceipt, type UserFrame, userFrame } from "../claude/frames.ts";
import { plainLine } from "../core/plain-text.ts";
import type { LocalTarget } from "../members/local-members.ts";
import type { MirrorSender, Mirrors } from "./mirrors.ts";
import type { Outcome } from "./outbox.ts";

const QUOTED_CHARACTERS = 80;

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
  if (notice) await mirrors.deliver(memberId, sender, notice);
}

function noticeOf(frame: Frame, outcome: Outcome): ((mirror: MirrorSender) => Frame) | undefined {
  const messageId = frame.msg_id;
  if (messageId === undefined) return undefined;
  if (isIdleSubscription(frame)) return outcome.state === "undeliverable" ? (mirror) => exitedNotice(mirror, messageId) : undefined;
  if (!isUserFrame(frame)) return undefined;
  if (outcome.state === "unconfirmed") return (mirror) => unconfirmedNotice(mirror, frame, outcome);
  // Without a drop reason Claude Code words it as "was dropped and NOT delivered, treat it as unsent".
  return ({ address: from }) => statusReceipt({ from, status: "dropped", messageId, reason: outcome.reason ?? outcome.state });
}

/** Every receipt that Claude Code knows says that a message was or was not delivered; that nobody knows, only words can say. */
function unconfirmedNotice({ address: from, name }: MirrorSender, message: UserFrame, { reason }: Outcome): Frame {
  const body = parseEnvelope(message.message.content)?.body ?? message.message.content;
  const text = [
    `Notice by ccm, not by ${name}: it is not known whether your message «${plainLine(body, QUOTED_CHARACTERS)}» reached that session`,
    `(${reason ?? "the link broke"}). It may have been delivered. ccm does not send it again; ask before you repeat it.`,
  ].join(" ");
  return userFrame({ from, content: buildEnvelope({ from, fromName: sanitizeFromName(name) }, text) });
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
