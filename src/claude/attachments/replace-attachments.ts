import { type Frame, isUserFrame } from "../frames.ts";
import type { AttachmentDescriptor } from "./descriptor.ts";
import { prefixBody } from "./notes.ts";

/** The frame with these files instead of its own, and notes before the body of its message; all else as it was. */
export function replaceAttachments(frame: Frame, descriptors: readonly AttachmentDescriptor[], notes: readonly string[]): Frame {
  const { file_attachments: _, ...rest } = frame;
  const replaced: Frame = { ...rest, type: frame.type, ...(descriptors.length > 0 && { file_attachments: descriptors }) };
  if (notes.length === 0 || !isUserFrame(frame)) return replaced;
  return { ...replaced, message: { ...frame.message, content: prefixBody(frame.message.content, notes) } };
}
