import type { Check, Stage } from "../../../src/selftest/check.ts";
import { mustEqual } from "../../../src/selftest/outcome.ts";

const BYPASS = ["--dangerously-skip-permissions"];
const PROMPTING = ["--permission-mode", "default"];

function withSettings(args: readonly string[], settings: object): readonly string[] {
  return [...args, "--settings", JSON.stringify(settings)];
}

/** What a message comes to at a session with such a setting: the statuses of its receipts. */
async function statusesOf({ friend }: Stage, messageId: string): Promise<unknown[]> {
  await friend.waitReceipt(messageId, "expired");
  return friend.receipts(messageId).map(({ status, status_detail }) => [status, status_detail]);
}

/** What depends on a session's settings; each needs a session of its own, which is too much for `ccm selftest`. */
export const policyChecks: readonly Check[] = [
  {
    name: "inbound.refuse",
    lane: "policies",
    relies: "crossSessionInbound refuse: expired with the detail refused",
    async run(stage) {
      const closed = await stage.session("extra-2", withSettings(PROMPTING, { crossSessionInbound: "refuse" }));
      const id = await stage.friend.send(closed.target, "is anybody there?", { fromMode: "prompting" });
      mustEqual(await statusesOf(stage, id), [["expired", "refused"]], "the receipts");
    },
  },
  {
    name: "inbound.hold",
    lane: "policies",
    relies: "crossSessionInbound hold: a message of the same class is held too, and nobody is asked",
    async run({ session, friend }) {
      const careful = await session("extra-3", withSettings(PROMPTING, { crossSessionInbound: "hold" }));
      const since = careful.terminal.position;
      const id = await friend.send(careful.target, "from one like you", { fromMode: "prompting" });
      await friend.waitReceipt(id, "held");
      await careful.waitShown(/not delivered to Claude \(1 held\)/, since);
      mustEqual(careful.heard(), [], "what its model was told");
    },
  },
  {
    name: "inbound.accept",
    lane: "policies",
    relies: "crossSessionInbound accept: a session that bypasses prompts takes a message without from-mode",
    async run({ session, friend }) {
      const open = await session("extra-4", withSettings(BYPASS, { crossSessionInbound: "accept" }));
      const id = await friend.send(open.target, "from who says nothing");
      await open.waitHeard("from who says nothing");
      mustEqual(friend.receipts(id), [], "what came back");
    },
  },
];
