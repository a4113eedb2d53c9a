import type { Client } from "../claude/admission/self-sent.ts";
import type { Frame } from "../claude/frames.ts";
import type { PeerIdentity } from "../claude/peer-files.ts";
import type { PeerRecordFields } from "../claude/peer-record.ts";
import type { ErrorCode } from "../core/errors.ts";

/** What the daemon writes to a mirror's stdin, one JSON object a line. The end of stdin is the end of the mirror. */
export type ToMirror =
  /** The first line, once. */
  | {
      readonly op: "open";
      readonly claudeConfig: string;
      readonly name: string;
      readonly record: PeerRecordFields;
      /** Whoever holds this is a process of the one that the mirror stands for; with it `frame` says who had connected. */
      readonly childToken?: string;
      /** What is told to senders of whose message nothing is known when whoever started the mirror is gone. */
      readonly orphaned?: string;
    }
  /** Changes these fields of the record; null takes a field away. */
  | { readonly op: "update"; readonly record: PeerRecordFields }
  /** Frame `id` is no longer the mirror's concern: it got there, or its sender has been told. */
  | { readonly op: "settled"; readonly id: number }
  /** The last line: what is not settled now is not relayed any more. */
  | { readonly op: "close" }
  /** Answered with `delivered` or `failed` under the same id. */
  | { readonly op: "deliver"; readonly id: number; readonly target: PeerIdentity; readonly frame: Frame };

/** What a mirror writes to its stdout, one JSON object a line. */
export type FromMirror =
  /** It is listed and reachable. */
  | ({ readonly op: "ready"; readonly address: string } & PeerIdentity)
  /** It cannot be: it ends after this. */
  | { readonly op: "unusable"; readonly code: ErrorCode; readonly message: string; readonly hint?: string }
  /** Before a `frame` that does not go into the pipe at once: should the mirror be killed meanwhile, its sender can be told. */
  | ({ readonly op: "coming"; readonly id: number } & UnreadMessage)
  /** A local session wrote this to the session that the mirror stands for. Answered with `settled`. */
  | { readonly op: "frame"; readonly id: number; readonly frame: Frame; readonly client?: Client }
  | { readonly op: "delivered"; readonly id: number }
  | { readonly op: "failed"; readonly id: number; readonly code: ErrorCode; readonly message: string; readonly hint?: string }
  | { readonly op: "problem"; readonly message: string };

/** What is known of a message that a mirror had read and could not hand on. */
export interface UnreadMessage {
  /** The address of the session that wrote it. */
  readonly from: string;
  readonly messageId: string;
}

/** The longest line on the pipe: a frame of the longest line that an inbox takes, in UTF-8, and what is around it. */
export const MAX_PIPE_LINE_BYTES = 4 * 1_048_576;
