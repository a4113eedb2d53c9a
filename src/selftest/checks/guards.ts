import { deliver } from "../../claude/deliver.ts";
import { parseEnvelope } from "../../claude/envelope.ts";
import { type Frame, isUserFrame, type ReceiptFrame, type UserFrame } from "../../claude/frames.ts";
import { readPeerToken } from "../../claude/key-file.ts";
import { randomHex } from "../../core/random.ts";
import type { Check } from "../check.ts";
import { HOLD_ORDER } from "../model-turn.ts";
import { mustEqual, mustHold } from "../outcome.ts";

const PROMPTING = { fromMode: "prompting" } as const;
const BYPASS = { fromMode: "bypass" } as const;
const BURST = 35;
const QUEUE = 50;
const MAX_CHAIN = 28;
const MAX_OWN_HOPS = 10;

/** A hop chain that is longer than any may be. */
function endlessChain(): string {
  return Array.from({ length: MAX_CHAIN + 1 }, () => randomHex(12)).join(",");
}

function mustBeDropped({ drop_reason, status }: ReceiptFrame, reason: string): void {
  mustEqual([status, drop_reason], ["dropped", reason], "status and drop_reason");
}

/** What a session refuses at its door, and how it says so. The first drop of a sender is told at once, those after it gathered. */
export const guardChecks: readonly Check[] = [
  {
    name: "drop.duplicate",
    lane: "inbox",
    relies: "the same text twice from one sender within 30 s: the second is dropped, duplicate",
    async run({ asking, peer }) {
      const echo = await peer("echo");
      await echo.send(asking.target, "said twice", PROMPTING);
      const again = await echo.send(asking.target, "said twice", PROMPTING);
      const receipt = await echo.waitReceipt(again, "dropped");
      mustBeDropped(receipt, "duplicate");
      mustEqual(receipt.dropped_msg_ids, [], "dropped_msg_ids");
    },
  },
  {
    name: "drop.hop-runaway",
    lane: "inbox",
    relies: `a hop-chain of more than ${MAX_CHAIN} marks is dropped, hop-runaway; one of ${MAX_CHAIN} is taken`,
    async run({ asking, peer }) {
      const far = await peer("far");
      const hopChain = endlessChain();
      const id = await far.send(asking.target, "come a long way", { ...PROMPTING, hopChain });
      mustBeDropped(await far.waitReceipt(id, "dropped"), "hop-runaway");
      await far.send(asking.target, "come nearly so far", { ...PROMPTING, hopChain: hopChain.slice(25) });
      await asking.waitHeard("come nearly so far");
    },
  },
  {
    name: "drop.gathered",
    lane: "inbox",
    relies: "after its first drop a sender is told of those of the next 5 s at once: orig_msg_id is the last, dropped_msg_ids all",
    async run({ asking, peer }) {
      const steady = await peer("steady");
      const sendFar = (text: string) => steady.send(asking.target, text, { ...PROMPTING, hopChain: endlessChain() });
      await steady.waitReceipt(await sendFar("the first"), "dropped");
      const later = [await sendFar("the second"), await sendFar("the third")];
      const { orig_msg_id, dropped_msg_ids } = await steady.waitReceipt(later[0] ?? "", "dropped");
      mustEqual([orig_msg_id, dropped_msg_ids], [later[1], later], "orig_msg_id and dropped_msg_ids");
    },
  },
  {
    name: "hop.mark",
    lane: "inbox",
    relies: "the answer to a peer's message carries its session's mark in hop-chain, 24 hexadecimal digits",
    async run({ asking, peer }) {
      const looper = await peer("looper");
      const order = JSON.stringify({ to: looper.address, message: "the answer", summary: "answers" });
      await looper.send(asking.target, `CALL SendMessage ${order} END`, PROMPTING);
      const isAnswer = (frame: Frame): frame is UserFrame => isUserFrame(frame) && frame.message.content.includes("the answer");
      const { hopChain = "" } = parseEnvelope((await looper.waitFrame("the answer", isAnswer)).message.content) ?? {};
      mustHold(/^[0-9a-f]{24}$/.test(hopChain), `its hop-chain is "${hopChain}"`);
      const ownHops = Array.from({ length: MAX_OWN_HOPS }, () => hopChain).join(",");
      const id = await looper.send(asking.target, "round and round", { ...PROMPTING, hopChain: ownHops });
      const isHeard = () => asking.heard().some((text) => text.includes("round and round"));
      await asking.soon(() => isHeard() || looper.receipts(id).length > 0, 10_000);
      if (isHeard()) return `a chain with ${MAX_OWN_HOPS} marks of the receiver is taken`;
      mustHold(
        looper.receipts(id)[0]?.drop_reason === "hop-loop",
        `a chain with ${MAX_OWN_HOPS} marks of the receiver is neither taken nor a hop-loop`,
      );
      return `a chain with ${MAX_OWN_HOPS} marks of the receiver is dropped, hop-loop`;
    },
  },
  {
    name: "drop.rate-limited",
    lane: "bold",
    relies: `of a burst of ${BURST} from one sender 30 and those of a refill each 2 s are taken, the others dropped, rate-limited`,
    async run({ bold, peer }) {
      const hasty = await peer("hasty");
      const frames = Array.from({ length: BURST }, (_, index) => hasty.message(`hasty ${index + 1} of ${BURST}`, BYPASS));
      await Promise.all(frames.map((frame) => hasty.deliver(bold.target, frame)));
      mustBeDropped(await hasty.waitReceipt(frames.at(-1)?.msg_id ?? "", "dropped"), "rate-limited");
      const dropped = frames.filter(({ msg_id = "" }) => hasty.receipts(msg_id).length > 0).length;
      mustHold(dropped >= 1 && dropped <= BURST - 30, `${dropped} of ${BURST} were dropped`);
      return `${BURST - dropped} of ${BURST} taken`;
    },
  },
  {
    name: "drop.sender-counted",
    lane: "bold",
    relies: "guards count by the sender's address: another peer's messages pass meanwhile",
    async run({ bold, friend }) {
      await friend.send(bold.target, "not in a hurry", BYPASS);
      await bold.waitHeard("not in a hurry");
    },
  },
  {
    name: "drop.queue-full",
    lane: "passing",
    relies: `of what peers write in a turn of the session ${QUEUE} messages wait, the others are dropped, queue-full`,
    async run({ passing, friend, model, peer }) {
      await friend.send(passing.target, `${HOLD_ORDER} and queue`, PROMPTING);
      await passing.waitHeard("and queue");
      const crowd = await Promise.all(["one", "two", "three"].map((name) => peer(name)));
      const half = QUEUE / 2;
      await Promise.all(
        crowd
          .slice(0, 2)
          .flatMap((one) => Array.from({ length: half }, (_, index) => one.send(passing.target, `${one.name} ${index}`, PROMPTING))),
      );
      const late = await crowd[2]?.send(passing.target, "one too many", PROMPTING);
      mustBeDropped((await crowd[2]?.waitReceipt(late ?? "", "dropped")) as ReceiptFrame, "queue-full");
      const since = passing.heard().length;
      model.release(passing.name);
      await passing.waitHeard(`two ${half - 1}`, { since });
      mustEqual(passing.heard().slice(since).length, QUEUE, "the number of messages that the model is told of then");
    },
  },
  {
    name: "receipt.owner-only",
    lane: "inbox",
    relies: "receipts go only to an address whose own process has written: what another process writes in its name has none",
    async run({ asking, peer, home }) {
      const named = await peer("named");
      const { pid, socketPath } = asking.target;
      const token = readPeerToken(home.claudeConfig, pid, socketPath);
      const foreign = named.message("in another's name", { ...PROMPTING, hopChain: endlessChain() });
      await deliver({ socketPath, token, frame: foreign });
      const own = await named.send(asking.target, "in its own name", { ...PROMPTING, hopChain: endlessChain() });
      await named.waitReceipt(own, "dropped");
      mustEqual(named.receipts(foreign.msg_id ?? ""), [], "what came back");
    },
  },
];
