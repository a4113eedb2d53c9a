import { attestedMode } from "../claude/admission/admission.ts";
import type { HoldCause } from "../claude/admission/consent.ts";
import { parseHopChain } from "../claude/admission/hop-chain.ts";
import type { ReceivedFile } from "../claude/attachments/receive.ts";
import { messageText, parseEnvelope } from "../claude/envelope.ts";
import type { Correspondent } from "./directory.ts";
import type { IncomingMessage } from "./name-inbox.ts";
import type { EventOf } from "./schema/output.ts";

/** A session as events name it. */
export function sessionFields({ name, address, machine }: Correspondent) {
  return { name, address, ...(machine !== undefined && { machine }) };
}

/** `files` that came with it, and `notes` about those that could not be taken. */
export function messageEvent(message: IncomingMessage, files: readonly ReceivedFile[], notes: readonly string[]): EventOf<"message"> {
  const attachments = files.map(({ path, fileName: name, bytes, sha256, mediaType }) => ({ path, name, bytes, sha256, mediaType }));
  return {
    event: "message",
    ...receivedFields(message),
    ...(attachments.length > 0 && { attachments }),
    ...(notes.length > 0 && { notes: [...notes] }),
  };
}

export function heldEvent(message: IncomingMessage, cause: HoldCause): EventOf<"held"> {
  return { event: "held", ...receivedFields(message), cause };
}

/** A sender that is no session here is called what it calls itself. */
function receivedFields({ id, to, frame, sender, isSelfSent, receivedAt }: IncomingMessage) {
  const { fromName: claimed, hopChain } = parseEnvelope(frame.message.content) ?? {};
  const mode = attestedMode(frame);
  const session = sender ? sessionFields(sender) : { name: claimed ?? "", address: frame.from ?? "" };
  const about = {
    ...(mode !== undefined && { mode }),
    ...(isSelfSent && { selfSent: true as const }),
    hops: parseHopChain(hopChain).length,
  };
  return { id, to: to.name, ...session, ...about, text: messageText(frame.message.content), at: receivedAt };
}
