import { MAX_FILES_PER_MESSAGE, safeFileName } from "./spool.ts";

/** Why a file did not get there, in Claude Code's words where it has some. */
export const attachmentFaults = {
  invalidPath: "invalid transfer path",
  outsideSpool: "transfer path is outside the file-transfer spool",
  notRegular: "the transfer copy is not a regular file",
  unreadable: "the transfer copy could not be read (it may have expired)",
  changed: "it failed integrity verification",
  notWritten: "it could not be written to the uploads directory",
} as const;

/** A file that is not taken. Its message is the reason in the note. */
export class AttachmentFault extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "AttachmentFault";
  }
}

/** What the reader of a message is told in the place of a file. */
export function notDeliveredNote(fileName: string, reason: string): string {
  return `[SendFile: "${safeFileName(fileName)}" was not delivered — ${reason}]`;
}

export function droppedNote(count: number): string {
  return `[SendFile: ${count} additional attachment(s) were dropped — max ${MAX_FILES_PER_MESSAGE} per message]`;
}

const OPENING = /^<cross-session-message\b[^>]*>\n?/;

/** The content of a message with mentions and notes before its body, in the envelope where it has one. */
export function prefixBody(content: string, prefixes: readonly string[]): string {
  if (prefixes.length === 0) return content;
  const [opening = ""] = OPENING.exec(content) ?? [];
  return `${opening}${prefixes.join(" ")} ${content.slice(opening.length)}`;
}
