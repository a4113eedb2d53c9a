import { parseEnvelope } from "../../claude/envelope.ts";
import type { ReceiptFrame } from "../../claude/frames.ts";
import { deliver } from "../../claude/deliver.ts";
import { readPeerToken } from "../../claude/key-file.ts";
import { randomHex } from "../../core/random.ts";
import type { Check } from "../check.ts";
import { mustEqual, mustHold } from "../outcome.ts";

const BYPASS = { fromMode: "bypass" } as const;
const BURST = 35;
const MAX_CHAIN = 28;
const MAX_OWN_HOPS = 10;

function mustBeDropped({ drop_reason, status }: ReceiptFrame, reason: string): void {
  mustEqual([status, drop_reason], ["dropped", reason], "status and drop_reason");
}

/** What a session refuses at its door, and how it says so. */
export const guardChecks: readonly Check[] = [
  {
    name: "drop.duplicate",
    relies: "the same text twice from one sender within 30 s: the second is dropped, duplicate",
    async run({ asking, friend }) {
      await friend.send(asking.target, "said twice", { fromMode: "prompting" });
      const again = await friend.send(asking.target, "said twice", { fromMode: "prompting" });
      const receipt = await friend.waitReceipt(again, "dropped");
      mustBeDropped(receipt, "duplicate");
      mustHold(Array.isArray(receipt.dropped_msg_ids), "it has no dropped_msg_ids");
    },
  },
  {
    name: "drop.hop-runaway",
    relies: `a hop-chain of more than ${MAX_CHAIN} marks is dropped, hop-runaway`,
    async run({ asking, friend }) {
      const hopChain = Array.from({ length: MAX_CHAIN + 1 }, () => randomHex(12)).join(",");
      const id = await friend.send(asking.target, "come a long way", { fromMode: "prompting", hopChain });
      mustBeDropped(await friend.waitReceipt(id, "dropped"), "hop-runaway");
      await friend.send(asking.target, "come nearly so far", { fromMode: "prompting", hopChain: hopChain.slice(25) });
      await asking.waitHeard("come nearly so far");
    },
  },
  {
    name: "drop.hop-loop",
    relies: `an answer carries its session's mark in hop-chain; a chain with ${MAX_OWN_HOPS} of the receiver's own marks is dropped, hop-loop`,
    async run({ asking, friend }) {
      const answer = `the answer ${randomHex(4)}`;
      const order = JSON.stringify({ to: friend.address, message: answer, summary: "answers" });
      await friend.send(asking.target, `CALL SendMessage ${order} END`, { fromMode: "prompting" });
      const frame = await friend.waitFrame("the answer", (one) => JSON.stringify(one).includes(answer));
      const { hopChain } = parseEnvelope((frame["message"] as { content: string }).content) ?? {};
      mustHold(/^[0-9a-f]{24}$/.test(hopChain ?? ""), `the answer's hop-chain is ${hopChain}`);
      const ownHops = (count: number) => Array.from({ length: count }, () => hopChain).join(",");
      const id = await friend.send(asking.target, "round and round", { fromMode: "prompting", hopChain: ownHops(MAX_OWN_HOPS) });
      mustBeDropped(await friend.waitReceipt(id, "dropped"), "hop-loop");
      await friend.send(asking.target, "nearly as often", { fromMode: "prompting", hopChain: ownHops(MAX_OWN_HOPS - 1) });
      await asking.waitHeard("nearly as often");
    },
  },
  {
    name: "drop.rate-limited",
    relies: `of a burst of ${BURST} from one sender about 30 are taken, the others dropped, rate-limited, by their ids in dropped_msg_ids`,
    async run({ bold, peer }) {
      const hasty = await peer("hasty");
      const frames = Array.from({ length: BURST }, (_, index) => hasty.message(`hasty ${index + 1} of ${BURST}`, BYPASS));
      await Promise.all(frames.map((frame) => hasty.deliver(bold.target, frame)));
      const last = frames.at(-1)?.msg_id ?? "";
      const receipt = await hasty.waitReceipt(last, "dropped");
      mustBeDropped(receipt, "rate-limited");
      const dropped = frames.filter(({ msg_id = "" }) => hasty.receipts(msg_id).length > 0).length;
      mustHold(dropped >= 3 && dropped <= 5, `${dropped} of ${BURST} were dropped`);
      return `${BURST - dropped} taken`;
    },
  },
  {
    name: "drop.sender-counted",
    relies: "guards count by the sender's address: another peer's messages pass meanwhile",
    async run({ bold, friend }) {
      await friend.send(bold.target, "not in a hurry", BYPASS);
      await bold.waitHeard("not in a hurry");
    },
  },
  {
    name: "receipt.owner-only",
    relies: "receipts go only to an address whose own process has written: what another process writes in its name has none",
    async run({ asking, friend, home }) {
      const { pid, socketPath } = asking.target;
      const token = readPeerToken(home.claudeConfig, pid, socketPath);
      const frames = [1, 2].map(() => friend.message("in a friend's name", { fromMode: "prompting" }));
      for (const frame of frames) await deliver({ socketPath, token, frame });
      const hopChain = Array.from({ length: MAX_CHAIN + 1 }, () => randomHex(12)).join(",");
      const own = await friend.send(asking.target, "in its own name", { fromMode: "prompting", hopChain });
      await friend.waitReceipt(own, "dropped");
      mustEqual(frames.flatMap(({ msg_id = "" }) => friend.receipts(msg_id)), [], "what came back");
    },
  },
];
