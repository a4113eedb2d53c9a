import * as z from "zod";

const MAX_NAME_CHARACTERS = 80;
const MAX_ATTACHMENTS = 16;

const id = z
  .union([z.string().max(200), z.number()])
  .optional()
  .describe("Anything that tells this command from others; its result names it");
const name = z.string().min(1).max(MAX_NAME_CHARACTERS);
const as = name.optional().describe("Which of the peer's names; the first one if it is not said");
const to = z.string().min(1).describe("A name or address that ccm roster shows, a session id, or the from of a message");
const text = z.string();
const message = z.string().min(1).describe("The id of a message that came in");
const attach = z.array(z.string().min(1)).max(MAX_ATTACHMENTS).optional().describe("Paths of files that go along");

const command = <Op extends string, Fields extends z.ZodRawShape>(op: Op, description: string, fields: Fields) =>
  z.strictObject({ op: z.literal(op), id, ...fields }).describe(description);

export const send = command("send", "Writes a message", { to, text, as, attach });
export const reply = command("reply", "Answers a message, as the name that it came to", { message, text, attach });
export const subscribe = command("subscribe", "Asks for one idle or gone when that session is idle next, or ends", { to, as });
export const status = command("status", "Says what this peer is at; idle answers who waits for that", {
  status: z.enum(["idle", "busy"]),
  detail: z.string().max(1_000).optional().describe("What it is at, or what it said last"),
  as,
});
export const alias = command("alias", "Another name of this peer. Its process starts when the name is first used, or now", {
  name,
  start: z.boolean().default(true),
});
export const retire = command("retire", "Gives a name up", { name });
export const release = command("release", "Lets a held message through", { message });
export const deny = command("deny", "Declines a held message", { message });
export const artifacts = command("artifacts", "Says for which artifacts this process writes the replies", {
  slugs: z.array(z.string().min(1)),
  as,
});
export const yieldArtifacts = command("yield", "Asks another process of this conversation for the replies to some artifacts", {
  to,
  slugs: z.array(z.string().min(1)).min(1).max(16),
  reason: z.enum(["resume", "claim"]).default("claim"),
  as,
});
export const handBack = command("unyield", "Hands back what a yielded event gave", {
  to,
  request: z.string().min(1),
  slugs: z.array(z.string().min(1)).min(1).max(16),
  as,
});
export const close = command("close", "Ends the peer, as the end of its input does", {});

/** One line on the standard input of `ccm peer`. */
export const peerInput = z
  .discriminatedUnion("op", [send, reply, subscribe, status, alias, retire, release, deny, artifacts, yieldArtifacts, handBack, close])
  .describe("One line on the standard input of ccm peer");

export type PeerCommand = z.infer<typeof peerInput>;
export type CommandOf<Op extends PeerCommand["op"]> = Extract<PeerCommand, { op: Op }>;
