import { messagePreview } from "../audit/message-preview.ts";
import { MAX_TASK_CHARACTERS, taskFromPrompt } from "../members/task.ts";
import type { HookContext } from "./hook-context.ts";
import { notePermissionMode } from "./permission-mode.ts";
import type { HookStep } from "./run-hook.ts";

export const userPromptSubmitSteps: readonly HookStep[] = [notePermissionMode, noteTask];

/** A prompt of the session's person says what it works on. The first one of a session that began before the hooks lets it join. */
function noteTask(context: HookContext): void {
  const { session, input, config } = context;
  if (!session) return;
  const task = taskFromPrompt(input.prompt ?? "");
  const known = context.entry?.task;
  if (task === undefined || task === known) return context.putEntry(session, {}, "prompt");
  context.putEntry(session, { task, taskSource: "prompt", taskAt: Date.now() }, "prompt");
  const { preview } = messagePreview(task, Math.min(config.auditPreviewCharacters, MAX_TASK_CHARACTERS));
  context.audit({ ev: "task", member: session.record.name, session_id: input.sessionId, source: "prompt", task: preview });
}
