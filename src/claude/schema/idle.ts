import * as z from "zod";
import { controlFields } from "./frames.ts";
import { lenient, openEnum } from "./lenient.ts";

const fromMode = lenient(openEnum(["bypass", "prompting"])).describe("The sender's permission class, where it declares one");

export const notifyWhenIdle = z
  .looseObject({ ...controlFields, action: z.literal("notify_when_idle"), from_mode: fromMode })
  .describe("Asks for one notice when the receiver is idle next, at once if it is, or when it ends");

export const peerIdleNotice = z
  .looseObject({
    ...controlFields,
    action: z.literal("peer_idle_notice"),
    orig_msg_id: z.string().describe("The subscription that this answers"),
    state: openEnum(["idle", "exited"]),
    finished_at: lenient(z.number()).describe("When its last turn ended, milliseconds since the epoch"),
    detail: lenient(z.string()).describe("The beginning of what it said last"),
    from_mode: fromMode,
  })
  .describe("The answer to notify_when_idle");
