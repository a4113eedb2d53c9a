import * as z from "zod";
import { lenient } from "./lenient.ts";

/** What every frame may carry. Only its type is needed for it to be one. */
export const frameFields = {
  msgV: lenient(z.number()).describe("The version of the message format: 1"),
  msg_id: lenient(z.string()).describe("A UUID; receipts and answers name it as their orig_msg_id"),
  from: lenient(z.string()).describe("The sender's address, uds: and the path of its inbox: where receipts and answers go"),
  session_id: lenient(z.string()).describe("If it is there it must be the receiver's own, or the frame is dropped in silence"),
};

export const controlFields = { ...frameFields, type: z.literal("control") };

export const authLine = z
  .looseObject({
    type: z.literal("auth"),
    token: z.string().min(1).describe("The receiver's peerToken from its key file, or the token that it gave to its own children"),
  })
  .describe("The first line of every connection to an inbox");

export const fileAttachment = z
  .looseObject({
    path: z.string().describe("Absolute; in the spool of file transfers of the sender's Claude config directory"),
    file_name: lenient(z.string()).describe("What the person calls it"),
    file_size: lenient(z.int().min(0)).describe("In bytes, at most 31457280"),
    sha256: lenient(z.string()).describe("Of the content, 64 hexadecimal digits"),
    media_type: lenient(z.string()),
  })
  .describe("A file that lies in the spool beside a message");

export const userFrame = z
  .looseObject({
    ...frameFields,
    type: z.literal("user"),
    message: z.looseObject({
      role: lenient(z.literal("user")),
      content: z.string().describe("The cross-session-message envelope; anything else is opaque text of a sender that attests nothing"),
    }),
    priority: lenient(z.string()).describe("next, or later"),
    file_attachments: lenient(z.array(fileAttachment)).describe("At most 16"),
  })
  .describe("A message to a session");
