import { messagePreview } from "../../audit/message-preview.ts";
import { noteEvent } from "../../audit/note-event.ts";
import { toCcmError } from "../../core/errors.ts";
import { readLightConfig } from "../../core/light-config.ts";
import type { Paths } from "../../core/paths.ts";
import { plainLine } from "../../core/plain-text.ts";
import type { SendState } from "./write-to-member.ts";

export interface SentMessage {
  readonly messageId: string;
  readonly sender: string;
  readonly to: string;
  readonly body: string;
}

/** Notes in the trail that a message was sent, and what is known of it now; its states follow there by themselves. */
export function noteSent(paths: Paths, { messageId, sender, to, body }: SentMessage, state: string): void {
  const preview = messagePreview(body, readLightConfig(paths).auditPreviewCharacters);
  noteEvent(paths, { ev: "send", msg_id: messageId, sender, to: plainLine(to, 80), state, ...preview });
}

/** Sends by `write`, and notes in the trail what came of it, also where it fails. Settles as `write` does. */
export async function auditSend(paths: Paths, message: SentMessage, write: () => Promise<SendState>): Promise<SendState> {
  const { messageId, sender, to, body } = message;
  const about = { ev: "send", msg_id: messageId, sender, to: plainLine(to, 80) };
  const preview = messagePreview(body, readLightConfig(paths).auditPreviewCharacters);
  try {
    const state = await write();
    noteEvent(paths, { ...about, ok: true, state, ...preview });
    return state;
  } catch (error) {
    const { code, message: problem } = toCcmError(error);
    noteEvent(paths, { ...about, ok: false, state: code, error: plainLine(problem), ...preview });
    throw error;
  }
}
