import { messagePreview } from "../audit/message-preview.ts";
import { plainLine } from "../core/plain-text.ts";
import type { HookContext } from "./hook-context.ts";
import { notePermissionMode } from "./permission-mode.ts";
import type { HookStep } from "./run-hook.ts";

/** Before Bash and SendMessage: a `ccm send` that follows must declare the mode of this moment. */
export const preToolUseSteps: readonly HookStep[] = [notePermissionMode];

export const postToolUseSteps: readonly HookStep[] = [auditNativeSend];

/** A SendMessage to a member here never meets the daemon; its hook is the only one that sees it. */
function auditNativeSend(context: HookContext): void {
  const { session, input, config } = context;
  if (!session || input.toolName !== "SendMessage") return;
  const { to, message } = input.toolInput ?? {};
  const { msg_id: messageId, success } = input.toolResponse ?? {};
  context.audit({
    ev: "native_send",
    ...(typeof messageId === "string" && { msg_id: plainLine(messageId, 100) }),
    sender: session.record.name,
    session_id: input.sessionId,
    to: typeof to === "string" ? plainLine(to, 100) : undefined,
    ok: success !== false,
    ...messagePreview(typeof message === "string" ? message : "", config.auditPreviewCharacters),
  });
}
