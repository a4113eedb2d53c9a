import { buildEnvelope, parseEnvelope, sanitizeFromName } from "../claude/envelope.ts";
import { type Frame, type UserFrame, userFrame } from "../claude/frames.ts";
import { plainLine } from "../core/plain-text.ts";

const QUOTED_CHARACTERS = 80;

/** How a notice names a message: the beginning of its text, on one line. */
export function quotationOf({ message }: UserFrame): string {
  return plainLine(parseEnvelope(message.content)?.body ?? message.content, QUOTED_CHARACTERS);
}

/** Every receipt that Claude Code knows says that a message was or was not delivered; that nobody knows, only words can say. */
export function unconfirmedNotice(mirror: { readonly address: string; readonly name: string }, quotation: string, reason: string): Frame {
  const { address: from, name } = mirror;
  const text = [
    `Notice by ccm, not by ${name}: it is not known whether your message «${quotation}» reached that session`,
    `(${reason}). It may have been delivered. ccm does not send it again; ask before you repeat it.`,
  ].join(" ");
  return userFrame({ from, content: buildEnvelope({ from, fromName: sanitizeFromName(name) }, text) });
}
