import { rewriteSender } from "../claude/envelope.ts";
import type { Frame } from "../claude/frames.ts";
import type { MirrorSender } from "./mirrors.ts";

/**
 * The frame as the sender's mirror delivers it: `from` is the mirror, in the frame and in the envelope, and the from-name is the
 * mirror's. Everything else stays as it came, known or not. An envelope that is not canonical is opaque to Claude Code too, and
 * its text is left alone.
 */
export function rewriteFrame(frame: Frame, sender: MirrorSender): Frame {
  const rewritten = { ...frame, from: sender.address };
  const message = frame["message"];
  if (typeof message !== "object" || message === null || !("content" in message) || typeof message.content !== "string") return rewritten;
  const content = rewriteSender(message.content, { from: sender.address, fromName: sender.name });
  return content === undefined ? rewritten : { ...rewritten, message: { ...message, content } };
}
