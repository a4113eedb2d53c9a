import type { FileAttachment, Frame } from "../frames.ts";
import { isJsonObject } from "../session-record.ts";

/** What a frame says of one of its files, complete as Claude Code wants it. */
export interface AttachmentDescriptor extends FileAttachment {
  readonly file_name: string;
  readonly file_size: number;
  readonly sha256: string;
}

const SHA256 = /^[0-9a-f]{64}$/;

export function isDescriptor(value: unknown): value is AttachmentDescriptor {
  if (!isJsonObject(value)) return false;
  const { path, file_name, file_size, sha256, media_type } = value;
  const isNamed = typeof path === "string" && typeof file_name === "string" && typeof sha256 === "string" && SHA256.test(sha256);
  const isTyped = media_type === undefined || typeof media_type === "string";
  return isNamed && isTyped && Number.isSafeInteger(file_size) && Number(file_size) >= 0;
}

/** The files that come with a frame. None if one of them is malformed: Claude Code then ignores all. */
export function attachmentsOf(frame: Frame): readonly AttachmentDescriptor[] {
  const list = frame["file_attachments"];
  return Array.isArray(list) && list.every(isDescriptor) ? list : [];
}
