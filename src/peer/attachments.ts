import type { FileAttachment, UserFrame } from "../claude/frames.ts";

/** A file that came with a message and is this peer's now. */
export interface ReceivedFile {
  readonly path: string;
  readonly name?: string;
  readonly size?: number;
}

/** How files go along with messages. */
export interface Attachments {
  /** Puts files where their receiver takes them from. Rejects with a CcmError that names the one that cannot go. */
  stage(paths: readonly string[]): Promise<readonly FileAttachment[]>;
  /** Takes the files of a message over; `notes` says of those that cannot be taken why not. Never rejects. */
  receive(frame: UserFrame, sessionId: string): Promise<{ readonly files: readonly ReceivedFile[]; readonly notes: readonly string[] }>;
}
