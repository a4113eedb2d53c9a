import type { ReceiptFrame, UserFrame } from "../../claude/frames.ts";
import { answerHeld, type Choice } from "../answer-held.ts";
import type { Check } from "../check.ts";
import type { ClaudeSession } from "../claude-session.ts";
import { mustEqual, mustHold } from "../outcome.ts";
import type { OurPeer } from "../our-peer.ts";

const TOLD = { Deny: "denied", Deliver: "delivered" } as const;

/** Sends what the session is to hold, has its person decide, and returns both receipts. */
export async function haveHeld(session: ClaudeSession, sender: OurPeer, frame: UserFrame, choice: Choice): Promise<ReceiptFrame[]> {
  const since = session.terminal.position;
  const messageId = frame.msg_id ?? "";
  await sender.deliver(session.target, frame);
  await sender.waitReceipt(messageId, "held");
  await answerHeld(session, since, choice, () => sender.receipts(messageId).length > 1);
  await sender.waitReceipt(messageId, TOLD[choice]);
  return sender.receipts(messageId);
}

/** The receipts that a session sends about what it asks its person first. */
export const holdingChecks: readonly Check[] = [
  {
    name: "hold.unattested",
    relies: "a session that bypasses prompts holds a message without from-mode, says held, and says denied when its person does",
    async run({ bold, friend }) {
      const receipts = await haveHeld(bold, friend, friend.message("say no to this"), "Deny");
      mustEqual(
        receipts.map(({ status, from, msgV }) => [status, from, msgV]),
        ["held", "denied"].map((status) => [status, `uds:${bold.target.socketPath}`, 1]),
        "status, from and msgV of the receipts",
      );
      mustHold(!bold.heard().some((text) => text.includes("say no to this")), "its model was told it all the same");
    },
  },
  {
    name: "hold.delivered",
    relies: "when its person lets a held message through its model is told it, and the sender delivered",
    async run({ bold, friend }) {
      await haveHeld(bold, friend, friend.message("say yes to this"), "Deliver");
      await bold.waitHeard("say yes to this");
    },
  },
  {
    name: "hold.bypass-to-prompting",
    relies: "a session that prompts holds a message that says bypass",
    async run({ asking, friend }) {
      await haveHeld(asking, friend, friend.message("from who asks nobody", { fromMode: "bypass" }), "Deny");
    },
  },
  {
    name: "hold.prompting-to-bypass",
    relies: "a session that bypasses prompts holds a message that says prompting",
    async run({ bold, friend }) {
      await haveHeld(bold, friend, friend.message("from who asks", { fromMode: "prompting" }), "Deny");
    },
  },
  {
    name: "hold.same-class",
    relies: "a message of the same class is not held, and has no receipt; a prompting session also takes one that says nothing",
    async run({ asking, bold, friend }) {
      const like = await friend.send(bold.target, "from one like you", { fromMode: "bypass" });
      const silent = await friend.send(asking.target, "from who says nothing");
      await bold.waitHeard("from one like you");
      await asking.waitHeard("from who says nothing");
      mustEqual([...friend.receipts(like), ...friend.receipts(silent)], [], "what came back");
    },
  },
  {
    name: "hold.plugin",
    relies: "from-plugin after from-mode is part of the envelope",
    async run({ bold, friend }) {
      await friend.send(bold.target, "from a plugin", { fromMode: "bypass", fromPlugin: "chat" });
      await bold.waitHeard("from a plugin");
    },
  },
];
