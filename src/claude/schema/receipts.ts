import * as z from "zod";
import { controlFields } from "./frames.ts";
import { lenient, openEnum } from "./lenient.ts";

export const receiptStatuses = ["held", "delivered", "denied", "expired", "dropped"] as const;
export const dropReasons = ["duplicate", "rate-limited", "hop-loop", "hop-runaway", "queue-full"] as const;

export const peerMessageStatus = z
  .looseObject({
    ...controlFields,
    action: z.literal("peer_message_status"),
    orig_msg_id: z.string().describe("The message that this is about"),
    status: openEnum(receiptStatuses).describe(
      "An inbox that takes a message says nothing; receipts are for what is held or was not taken",
    ),
    reason: lenient(z.string()).describe("For a person"),
    status_detail: lenient(openEnum(["refused"])).describe("Beside expired: the receiver takes nothing from outside"),
    drop_reason: lenient(openEnum(dropReasons)).describe("Beside dropped; without one the message never got there"),
    dropped_msg_ids: lenient(z.array(z.string())).describe("More messages that the same happened to"),
  })
  .describe("A receipt: what became of a message at the inbox that it went to");
