import { attestedMode } from "../claude/admission/admission.ts";
import type { HoldCause } from "../claude/admission/consent.ts";
import { messageText, parseEnvelope } from "../claude/envelope.ts";
import type { ReceivedFile } from "./attachments.ts";
import type { Correspondent } from "./directory.ts";
import type { IncomingMessage } from "./name-inbox.ts";
import type { EventOf } from "./schema/output.ts";

/** A session as events name it. */
export function sessionFields({ name, address, machine }: Correspondent) {
  return { name, address, ...(machine !== undefined && { machine }) };
}

/** `received`: its files, and what is to be said of those that could not be taken. */
export function messageEvent(
  message: IncomingMessage,
  text: string,
  received: { readonly files: readonly ReceivedFile[]; readonly notes: readonly string[] } = { files: [], notes: [] },
): EventOf<"message"> {
  const { files, notes } = received;
  const whole = [text, ...notes].join("\n");
  return { event: "message", ...receivedFields(message, whole), ...(files.length > 0 && { attachments: [...files] }) };
}

export function heldEvent(message: IncomingMessage, cause: HoldCause): EventOf<"held"> {
  return { event: "held", ...receivedFields(message, messageText(message.frame.message.content)), cause };
}

/** A sender that is no session here is called what it calls itself. */
function receivedFields({ id, to, frame, sender, isSelfSent, receivedAt }: IncomingMessage, text: string) {
  const claimed = parseEnvelope(frame.message.content)?.fromName;
  const mode = attestedMode(frame);
  const session = sender ? sessionFields(sender) : { name: claimed ?? "", address: frame.from ?? "" };
  const about = { ...(mode !== undefined && { mode }), ...(isSelfSent && { selfSent: true as const }) };
  return { id, to: to.name, ...session, ...about, text, at: receivedAt };
}
