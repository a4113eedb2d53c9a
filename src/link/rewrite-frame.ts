import { rewriteSender } from "../claude/envelope.ts";
import type { Frame } from "../claude/frames.ts";
import type { MirrorSender } from "./mirrors.ts";

/** Whether a declaration of the other machine's sessions that they bypass permission prompts counts here. */
export type Attestation = "pass" | "strip";

/**
 * The frame as the sender's mirror delivers it: `from` is the mirror, in the frame and in the envelope, and the from-name is the
 * mirror's. Everything else stays as it came, known or not.
 */
export function rewriteFrame(frame: Frame, sender: MirrorSender, attestation: Attestation = "pass"): Frame {
  const dropBypass = attestation === "strip";
  const { from_mode: mode, ...withoutMode } = frame;
  const rewritten: Frame = { ...(dropBypass && mode === "bypass" ? withoutMode : frame), type: frame.type, from: sender.address };
  const message = frame["message"];
  if (typeof message !== "object" || message === null || !("content" in message) || typeof message.content !== "string") return rewritten;
  const content = rewriteSender(message.content, { from: sender.address, fromName: sender.name, dropBypass });
  return content === undefined ? rewritten : { ...rewritten, message: { ...message, content } };
}
