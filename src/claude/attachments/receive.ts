import fs from "node:fs/promises";
import path from "node:path";
import { CcmError } from "../../core/errors.ts";
import { ensurePrivateDirectory } from "../../core/private-file.ts";
import type { UserFrame } from "../frames.ts";
import { copyFile } from "./copy-file.ts";
import type { AttachmentDescriptor } from "./descriptor.ts";
import { AttachmentFault, attachmentFaults as faults, notDeliveredNote, prefixBody } from "./notes.ts";
import { MAX_FILE_BYTES, storedName } from "./spool.ts";
import { openStagedFile } from "./staged-file.ts";
import { takenAttachments } from "./taken-attachments.ts";

export interface ReceivedFile {
  /** Absolute, among the uploads of the session. */
  readonly path: string;
  readonly fileName: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly mediaType: string | undefined;
}

export interface ReceivedAttachments {
  /** The message's content with `@"path"` mentions and notes of failure before its body, as a model is given it. */
  readonly content: string;
  readonly files: readonly ReceivedFile[];
  readonly notes: readonly string[];
}

export interface Receiver {
  readonly claudeConfig: string;
  /** Of the session that receives; a name of a directory. */
  readonly sessionId: string;
}

/**
 * Takes the files that came with a message: what is valid is copied into `uploads/<session>/`, and the staged copy removed. What is not
 * becomes a note; the message itself is good in any case. Rejects with `usage` for a session id that is no name, and never for a file.
 */
export async function receiveAttachments(frame: UserFrame, { claudeConfig, sessionId }: Receiver): Promise<ReceivedAttachments> {
  const { content } = frame.message;
  const { taken, notes } = takenAttachments(frame);
  if (taken.length === 0) return { content, files: [], notes: [] };
  if (!/^[A-Za-z0-9_-]{1,80}$/.test(sessionId)) throw new CcmError("usage", "that session id is no name for a directory");
  const files: ReceivedFile[] = [];
  for (const descriptor of taken) {
    try {
      files.push(await receive(descriptor, claudeConfig, path.join(claudeConfig, "uploads", sessionId)));
    } catch (error) {
      notes.push(notDeliveredNote(descriptor.file_name, error instanceof AttachmentFault ? error.message : faults.notWritten));
    }
  }
  const mentions = files.map((file) => `@"${file.path}"`);
  return { content: prefixBody(content, [...mentions, ...notes]), files, notes };
}

async function receive(descriptor: AttachmentDescriptor, claudeConfig: string, uploads: string): Promise<ReceivedFile> {
  const source = await openStagedFile(descriptor, claudeConfig);
  try {
    await checkUploads(uploads);
    const copied = await copyFile(source, uploads, MAX_FILE_BYTES, ({ bytes, sha256 }) => {
      if (bytes !== descriptor.file_size || sha256 !== descriptor.sha256) throw new AttachmentFault(faults.changed);
      return storedName(sha256, descriptor.file_name);
    });
    await fs.unlink(descriptor.path).catch(() => undefined);
    const { path: file, bytes, sha256 } = copied;
    return { path: file, fileName: descriptor.file_name, bytes, sha256, mediaType: descriptor.media_type };
  } finally {
    await source.close();
  }
}

/** A directory of this user, and not a symlink to one. */
async function checkUploads(uploads: string): Promise<void> {
  for (const directory of [path.dirname(uploads), uploads]) {
    ensurePrivateDirectory(directory);
    const stat = await fs.lstat(directory);
    if (!stat.isDirectory() || stat.uid !== process.geteuid?.()) throw new AttachmentFault(faults.notWritten);
  }
}
