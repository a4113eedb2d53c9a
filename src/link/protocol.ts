import * as z from "zod";
import type { Member } from "../members/member.ts";

/**
 * The language of a link: one JSON object a line, specified in PROTOCOL.md beside this file. Everything here is lenient towards
 * newer builds: unknown fields are ignored, unknown ops answered. Only `hello` decides whether two builds can talk.
 */

/** A line may carry a whole native frame (1,048,576 characters, up to 3 bytes each, more when escaped). */
export const MAX_LINK_LINE_BYTES = 8 * 1024 * 1024;
/** In `hello`: this side takes the ops that files go over with. */
export const FILES_FEATURE = "files";
/** The most of a file that one `piece` carries. */
export const MAX_PIECE_BYTES = 64 * 1024;
/** More sessions of one machine are not listed. */
export const MAX_MEMBERS_PER_PEER = 500;

const shortText = (maxCharacters: number) => z.string().max(maxCharacters);
/** A field for show: when it is malformed the member is listed without it. */
const shown = (maxCharacters: number) =>
  z
    .string()
    .transform((text) => text.slice(0, maxCharacters))
    .optional()
    .catch(undefined);

export const memberSchema = z.object({
  id: shortText(200).min(1),
  pid: z.number().int().positive(),
  procStart: shortText(100),
  name: shortText(4_000),
  sessionId: shown(200),
  cwd: shown(4_096),
  status: shown(100),
  task: shown(2_000),
  mode: shown(100),
  version: shown(100),
  startedAt: z.number().optional().catch(undefined),
}) satisfies z.ZodType<Member>;

/** Entries that are no members are left out, and counted by the reader; they do not spoil the others. */
const members = z.array(z.unknown()).transform((entries) => entries.flatMap((entry) => memberSchema.safeParse(entry).data ?? []));

const sequence = z.number().int().positive();
const received = z.object({ stream: shortText(100), seq: z.number().int().nonnegative() });

export const helloSchema = z.object({
  op: z.literal("hello"),
  protocol: z.object({ min: z.number().int(), max: z.number().int() }),
  version: shortText(100),
  commit: shortText(100).catch("unknown"),
  machine: shortText(100).min(1),
  label: shortText(200),
  /** Names the daemon process: another one knows nothing of what this one was told. */
  boot: shortText(100).min(1),
  /** What time it is there, milliseconds since the epoch. For show. */
  now: z.number().optional().catch(undefined),
  /** What the sender can do beyond what this version of the protocol asks of everyone. */
  features: z.array(shortText(100)).optional().catch(undefined),
});

export const refuseSchema = z.object({ op: z.literal("refuse"), code: shortText(100), message: shortText(2_000) });

const fileId = shortText(100).min(1);
const nativeFrame = z.looseObject({ type: z.string() });

export const linkOpSchema = z.discriminatedUnion("op", [
  /** The first op after hello: how far the sender has received the other side's stream; null when it remembers none. */
  z.object({ op: z.literal("resume"), received: received.nullable() }),
  /** The answer to `resume`: the stream in which the sequenced ops that follow are numbered. */
  z.object({ op: z.literal("stream"), stream: shortText(100).min(1) }),
  z.object({ op: z.literal("members"), members }),
  z.object({ op: z.literal("changed"), put: members, gone: z.array(z.string()) }),
  z.object({
    op: z.literal("frame"),
    seq: sequence,
    /** A member of the sending machine, or a person at its shell; a shell that is a member while it waits is also a person's. */
    from: z.union([z.object({ member: z.string(), orPerson: shortText(200).optional() }), z.object({ person: shortText(200) })]),
    to: z.string(),
    frame: nativeFrame,
  }),
  z.object({
    op: z.literal("outcome"),
    seq: sequence,
    /** The sequence number of the frame that this is about, in the stream of the machine that sent it. */
    of: sequence,
    stream: z.string(),
    state: z.enum(["written", "undeliverable", "refused", "too_large", "unconfirmed"]).catch("unconfirmed"),
    reason: shortText(2_000).optional(),
  }),
  z.object({ op: z.literal("ack"), seq: sequence }),
  /** A question of one daemon to the other; one that is not understood is answered with an error. */
  z.object({ op: z.literal("ask"), id: sequence, question: z.looseObject({ kind: shortText(100) }) }),
  z.object({ op: z.literal("answer"), id: sequence, answer: z.unknown().optional(), error: shortText(2_000).optional() }),
  /** A file begins; `size` bytes of it follow in pieces. */
  z.object({ op: z.literal("file"), id: fileId, name: shortText(4_096), size: z.number().int().nonnegative(), sha256: shortText(100) }),
  z.object({ op: z.literal("piece"), id: fileId, data: shortText(2 * MAX_PIECE_BYTES) }),
  /** So many bytes of it are on disk: the sender may go on. */
  z.object({ op: z.literal("taken"), id: fileId, bytes: z.number().int().nonnegative() }),
  /** The whole of it is there and is what was announced. A frame may now name it by its id. */
  z.object({ op: z.literal("stored"), id: fileId }),
  /** Said by either side: it will not be. */
  z.object({ op: z.literal("unstored"), id: fileId, reason: shortText(2_000) }),
  z.object({ op: z.literal("ping") }),
  z.object({ op: z.literal("pong") }),
  /** An orderly end. `final`: this side does not expect to be back soon, so nothing need be held for it. */
  z.object({ op: z.literal("bye"), reason: shortText(2_000), final: z.boolean().catch(false) }),
  refuseSchema,
  /** Something was wrong with what the other side sent; for its log. Never answered. */
  z.object({ op: z.literal("problem"), message: shortText(2_000) }),
]);

export type Hello = z.infer<typeof helloSchema>;
export type LinkOp = z.infer<typeof linkOpSchema>;
export type SequencedOp = Extract<LinkOp, { op: "frame" | "outcome" }>;
export type FrameOp = Extract<LinkOp, { op: "frame" }>;
export type OutcomeOp = Extract<LinkOp, { op: "outcome" }>;
export type AskOp = Extract<LinkOp, { op: "ask" }>;
export type AnswerOp = Extract<LinkOp, { op: "answer" }>;
export type FileOp = Extract<LinkOp, { op: "file" }>;
export type PieceOp = Extract<LinkOp, { op: "piece" }>;
export type OutcomeState = OutcomeOp["state"];
export type FrameSender = FrameOp["from"];
/** An op that is said now or not at all. */
export type PlainOp = Exclude<LinkOp, SequencedOp>;
