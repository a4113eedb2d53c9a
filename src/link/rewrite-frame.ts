import { rewriteSender } from "../claude/envelope.ts";
import type { Frame } from "../claude/frames.ts";

/** Who a relayed frame says it is from, on the machine that it arrives at. */
export interface LocalSender {
  /** `uds:` and the socket of the sender's mirror here. */
  readonly address: string;
  readonly name: string;
}

/**
 * The frame as the sender's mirror delivers it: `from` is the mirror, in the frame and in the envelope, and the from-name is the
 * mirror's. Everything else stays as it came, known or not. An envelope that is not canonical is opaque to Claude Code too, and
 * its text is left alone.
 */
export function rewriteFrame(frame: Frame, sender: LocalSender): Frame {
  const rewritten = { ...frame, from: sender.address };
  const message = frame["message"];
  if (typeof message !== "object" || message === null || !("content" in message) || typeof message.content !== "string") return rewritten;
  const content = rewriteSender(message.content, { from: sender.address, fromName: sender.name });
  return content === undefined ? rewritten : { ...rewritten, message: { ...message, content } };
}
