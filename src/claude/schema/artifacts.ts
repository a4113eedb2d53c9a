import * as z from "zod";
import { controlFields } from "./frames.ts";
import { lenient, openEnum } from "./lenient.ts";

const slugs = lenient(z.array(z.string()));

export const yieldArtifactReplies = z
  .looseObject({
    ...controlFields,
    action: z.literal("yield_artifact_replies"),
    session_id: lenient(z.string()).describe("The conversation of both processes; the asker's own record must name it too"),
    slugs: slugs.describe("The artifacts, at most 16"),
    reason: lenient(openEnum(["resume", "claim"])).describe("claim where it is absent"),
    sent_at: lenient(z.number()).describe("Milliseconds since the epoch; older than about 4 s it is not answered"),
    claimed_at: lenient(z.number()),
    requester: lenient(z.looseObject({ cwd: lenient(z.string()), tmux: lenient(z.unknown()) })),
  })
  .describe("One process of a conversation asks another one of it to leave the replies to some artifacts to it");

export const artifactRepliesYielded = z
  .looseObject({
    ...controlFields,
    action: z.literal("artifact_replies_yielded"),
    orig_msg_id: z.string().describe("The request that this answers"),
    yielded: slugs.describe("Handed over"),
    not_held: slugs.describe("There was nothing to hand over"),
    refused: lenient(z.unknown()),
  })
  .describe("The answer to yield_artifact_replies");

export const unyieldArtifactReplies = z
  .looseObject({
    ...controlFields,
    action: z.literal("unyield_artifact_replies"),
    orig_msg_id: lenient(z.string()).describe("The request by which they were handed over"),
    slugs,
    stopped: lenient(z.unknown()),
  })
  .describe("Hands the replies to some artifacts back");
