import * as z from "zod";
import { exitCodes } from "../../core/errors.ts";

const event = <Name extends string, Fields extends z.ZodRawShape>(kind: Name, description: string, fields: Fields) =>
  z.looseObject({ event: z.literal(kind), ...fields }).describe(description);

const as = z.string().describe("Which of the peer's names");
const errorCodes = Object.keys(exitCodes) as [string, ...string[]];
const milliseconds = z.number().describe("Milliseconds since the epoch");

const error = z.looseObject({ code: z.union([z.enum(errorCodes), z.string()]), message: z.string(), hint: z.string().optional() });

const session = {
  name: z.string().describe("What the other session is called"),
  address: z.string().describe("Where it is; takes messages as long as it is there"),
  machine: z.string().optional().describe("The label of its machine, where that is another one"),
};

const attachment = z.object({
  path: z.string().describe("Among the uploads of this peer; it is this program's now"),
  name: z.string().describe("What the sender calls it"),
  bytes: z.int(),
  sha256: z.string(),
  mediaType: z.string().optional(),
});

const received = {
  id: z.string(),
  to: as,
  ...session,
  mode: z.enum(["bypass", "prompting"]).optional().describe("As the sender declares it"),
  selfSent: z.literal(true).optional().describe("It came from this peer or a process that holds its child token"),
  hops: z.int().describe("How many messages led to this one, one answering the other; more than 28 are not taken"),
  text: z.string(),
  at: milliseconds,
};

const state = z
  .enum([
    "queued",
    "sent",
    "written",
    "held",
    "delivered",
    "denied",
    "expired",
    "refused",
    "dropped",
    "undeliverable",
    "too_large",
    "unconfirmed",
  ])
  .describe("As the README's table has them");

export const ready = event("ready", "A name is listed and reachable; again, with another address, when its process had to be replaced", {
  name: z.string(),
  address: z.string(),
  pid: z.int(),
  socket: z.string(),
  sessionId: z.string(),
  childToken: z.string().describe("For processes that this program starts: what they write with it is the peer's own"),
});
export const result = event("result", "What came of a command", {
  id: z.union([z.string(), z.number(), z.null()]),
  ok: z.boolean(),
  error: error.optional(),
  messageId: z.string().optional(),
  state: state.optional(),
  name: z.string().optional(),
  machine: z.string().optional(),
  subscription: z.string().optional(),
  request: z.string().optional(),
});
export const message = event("message", "Another session wrote", {
  ...received,
  attachments: z.array(attachment).optional(),
  notes: z.array(z.string()).optional().describe("Of each file that was sent along and not delivered, why"),
});
export const held = event("held", "Another session wrote, and somebody has to release or deny it", {
  ...received,
  cause: z.enum(["mode-mismatch", "no-mode-asserted", "policy"]),
});
export const lapsed = event("lapsed", "A held message was not decided on in time; its sender was told", { id: z.string(), to: as });
export const receipt = event("receipt", "What became of a message that was sent", {
  messageId: z.string(),
  as,
  state,
  reason: z.string().optional(),
});
export const idle = event("idle", "A session is idle that a subscription asked about", {
  subscription: z.string(),
  ...session,
  finishedAt: milliseconds.optional(),
  detail: z.string().optional(),
});
export const gone = event("gone", "A session has ended that a subscription asked about, or that was written to or heard from", {
  subscription: z.string().optional(),
  ...session,
});
export const yielded = event("yielded", "Another process of this conversation has handed replies over, or taken them", {
  request: z.string(),
  direction: z.enum(["to-us", "from-us", "back-to-us"]),
  slugs: z.array(z.string()),
  notHeld: z.array(z.string()).optional(),
});
export const problem = event("problem", "Something went wrong that no command asked for", { message: z.string() });

/** One line on the standard output of `ccm peer`. */
export const peerOutput = z
  .discriminatedUnion("event", [ready, result, message, held, lapsed, receipt, idle, gone, yielded, problem])
  .describe("One line on the standard output of ccm peer. Events and fields that are not known are to be left alone");

export type PeerEvent = z.infer<typeof peerOutput>;
export type EventOf<Kind extends PeerEvent["event"]> = Extract<PeerEvent, { event: Kind }>;
