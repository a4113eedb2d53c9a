import { type ReceiptStatus, statusReceipt } from "../../claude/frames.ts";
import { randomHex } from "../../core/random.ts";
import type { Check, Stage } from "../check.ts";
import { mustHold } from "../outcome.ts";
import { haveSent } from "./sending.ts";

const NOTICE = "[Cross-session delivery notice]";

interface Told {
  readonly status: ReceiptStatus;
  readonly more?: { readonly status_detail?: string; readonly drop_reason?: string; readonly dropped_msg_ids?: readonly string[] };
  /** What the model is told then, in every version so far. */
  readonly words: RegExp;
}

/** Has a session write to our peer, answers with these receipts, and holds what its model is told after each against what it should be. */
async function mustBeTold(stage: Stage, receipts: readonly Told[]): Promise<void> {
  const { passing, friend } = stage;
  const frame = await haveSent(stage, passing, `to be answered ${randomHex(4)}`);
  for (const { status, more, words } of receipts) {
    const since = passing.heard().length;
    const receipt = statusReceipt({ from: friend.address, status, messageId: frame.msg_id ?? "" });
    await friend.deliver(passing.target, { ...receipt, ...more });
    const told = await passing.waitHeard(NOTICE, { since });
    mustHold(words.test(told), `after ${status} the model is told ${told}`);
    mustHold(told.includes(friend.address), `the notice does not say about whom: ${told}`);
  }
}

/** What a session's model is told when we answer its message with a receipt. */
export const noticeChecks: readonly Check[] = [
  {
    name: "notice.denied",
    lane: "passing",
    relies: "the sender's model is told of held, then of denied",
    run: (stage) =>
      mustBeTold(stage, [
        { status: "held", words: /was held/ },
        { status: "denied", words: /was denied by the recipient user/ },
      ]),
  },
  {
    name: "notice.delivered",
    lane: "passing",
    relies: "the sender's model is told of delivered after held",
    run: (stage) =>
      mustBeTold(stage, [
        { status: "held", words: /was held/ },
        { status: "delivered", words: /was approved and released to that session/ },
      ]),
  },
  {
    name: "notice.expired",
    lane: "passing",
    relies: "the sender's model is told of expired",
    run: (stage) => mustBeTold(stage, [{ status: "expired", words: /was not approved before expiry/ }]),
  },
  {
    name: "notice.refused",
    lane: "passing",
    relies: "expired with the detail refused is told as a session that accepts no messages",
    run: (stage) => mustBeTold(stage, [{ status: "expired", more: { status_detail: "refused" }, words: /was refused.*not accepting/s }]),
  },
  {
    name: "notice.unsent",
    lane: "passing",
    relies: "dropped without a drop_reason is told as not delivered, to be treated as unsent",
    run: (stage) => mustBeTold(stage, [{ status: "dropped", words: /NOT delivered\. Treat them as unsent/ }]),
  },
  {
    name: "notice.dropped",
    lane: "passing",
    relies: "dropped with a drop_reason is told with what it means",
    run: (stage) =>
      mustBeTold(stage, [
        {
          status: "dropped",
          more: { drop_reason: "rate-limited", dropped_msg_ids: [] },
          words: /NOT delivered \(you sent faster than that session accepts\)/,
        },
      ]),
  },
];
