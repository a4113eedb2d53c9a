import type { ReceiptFrame, UserFrame } from "../../claude/frames.ts";
import { answerHeld, type Choice } from "../answer-held.ts";
import type { Check } from "../check.ts";
import type { ClaudeSession } from "../claude-session.ts";
import type { OurPeer } from "../our-peer.ts";
import { mustEqual, mustHold } from "../outcome.ts";
import { DEADLINE_MS } from "../until.ts";

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
    lane: "bold",
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
    lane: "bold",
    relies: "when its person lets a held message through its model is told it, and the sender delivered",
    async run({ bold, friend }) {
      await haveHeld(bold, friend, friend.message("say yes to this"), "Deliver");
      await bold.waitHeard("say yes to this");
    },
  },
  {
    name: "hold.bypass-to-prompting",
    lane: "asking",
    relies: "a session that prompts holds a message that says bypass",
    async run({ asking, friend }) {
      await haveHeld(asking, friend, friend.message("from who asks nobody", { fromMode: "bypass" }), "Deny");
    },
  },
  {
    name: "hold.prompting-to-bypass",
    lane: "bold",
    relies: "a session that bypasses prompts holds a message that says prompting",
    async run({ bold, friend }) {
      await haveHeld(bold, friend, friend.message("from who asks", { fromMode: "prompting" }), "Deny");
    },
  },
  {
    name: "hold.same-class",
    lane: "bold",
    relies: "a session that bypasses prompts takes a message that says bypass, without a receipt",
    async run({ bold, friend }) {
      const id = await friend.send(bold.target, "from one like you", { fromMode: "bypass" });
      await bold.waitHeard("from one like you");
      mustEqual(friend.receipts(id), [], "what came back");
    },
  },
  {
    name: "hold.silent-to-prompting",
    lane: "asking",
    relies: "a session that prompts takes a message without from-mode, without a receipt",
    async run({ asking, friend }) {
      const id = await friend.send(asking.target, "from who says nothing");
      await asking.waitHeard("from who says nothing");
      mustEqual(friend.receipts(id), [], "what came back");
    },
  },
  {
    name: "hold.plugin",
    lane: "bold",
    relies: "from-plugin after from-mode is part of the envelope, or makes all of it opaque",
    async run({ bold, friend }) {
      const since = bold.terminal.position;
      const id = await friend.send(bold.target, "from a plugin", { fromMode: "bypass", fromPlugin: "chat" });
      const isHeard = () => bold.heard().some((text) => text.includes("from a plugin"));
      await bold.soon(() => isHeard() || friend.receipts(id).length > 0, DEADLINE_MS);
      if (isHeard()) return "part of it";
      mustEqual(friend.receipts(id)[0]?.status, "held", "what comes back");
      await answerHeld(bold, since, "Deny", () => friend.receipts(id).length > 1);
      return "opaque: held";
    },
  },
];
