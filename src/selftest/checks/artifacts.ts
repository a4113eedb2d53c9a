import { randomUuid } from "../../core/random.ts";
import type { Check, Stage } from "../check.ts";
import type { OurPeer } from "../our-peer.ts";
import { mustEqual } from "../outcome.ts";

const SLUG = "a-probe";

/** Asks `passing` to hand over the replies to an artifact, and returns its answer. */
async function askToYield({ passing }: Stage, peer: OurPeer): Promise<Record<string, unknown>> {
  const msg_id = randomUuid();
  const frame = { type: "control", action: "yield_artifact_replies", from: peer.address, msgV: 1, msg_id, reason: "resume" };
  await peer.deliver(passing.target, {
    ...frame,
    session_id: passing.record.sessionId,
    slugs: [SLUG],
    sent_at: Date.now(),
    requester: { cwd: "/" },
  });
  return peer.waitFrame("artifact_replies_yielded", (one) => one["action"] === "artifact_replies_yielded" && one["orig_msg_id"] === msg_id);
}

export const artifactChecks: readonly Check[] = [
  {
    name: "artifact.yield",
    lane: "passing",
    relies: "yield_artifact_replies from a peer whose record has the receiver's sessionId is answered with what it holds of them",
    async run(stage) {
      const twin = await stage.peer("twin", { sessionId: stage.passing.record.sessionId });
      const { yielded, not_held, refused } = await askToYield(stage, twin);
      mustEqual([yielded, not_held, refused], [[], [SLUG], undefined], "yielded, not_held and refused");
    },
  },
  {
    name: "artifact.refused",
    lane: "passing",
    relies: "from a peer of another conversation it is refused, in an answer that says so",
    async run(stage) {
      const { yielded, not_held, refused } = await askToYield(stage, stage.friend);
      mustEqual([yielded, not_held, refused], [[], [], true], "yielded, not_held and refused");
    },
  },
];
