import { readRegistry } from "../claude/registry.ts";
import { startDaemonDetached } from "../core/start-daemon.ts";
import { describeBriefing } from "../members/briefing.ts";
import { chatMembers } from "../members/chat-members.ts";
import { readSessionAttributes } from "../members/session-attributes.ts";
import { taskFromTranscript } from "../members/transcript-task.ts";
import { isDaemonRunning } from "./daemon-running.ts";
import type { HookContext } from "./hook-context.ts";
import type { HookStep } from "./run-hook.ts";

/** Registers the session, sees to the daemon without waiting for it, and briefs the model with the roster. */
export const sessionStartSteps: readonly HookStep[] = [join, seeToDaemon, brief];

function join(context: HookContext): void {
  const { session, input } = context;
  if (!session) return;
  const { source = "startup", transcriptPath } = input;
  const isResumed = source === "resume" && context.entry?.task === undefined && transcriptPath !== undefined;
  const task = isResumed ? taskFromTranscript(transcriptPath) : undefined;
  context.putEntry(session, task === undefined ? {} : { task, taskSource: "prompt", taskAt: Date.now() }, source);
}

function seeToDaemon({ paths }: HookContext): void {
  if (!isDaemonRunning(paths)) startDaemonDetached(process.env);
}

function brief({ session, paths, config }: HookContext): string | undefined {
  if (!session) return undefined;
  const members = chatMembers(readRegistry(paths.claudeConfig), {
    machineLabel: config.label,
    // Others' transcripts are not for a hook to read.
    attributesOf: (record) => readSessionAttributes(paths, record, () => undefined),
  });
  const others = members.filter(({ record }) => record.pid !== session.record.pid);
  const additionalContext = describeBriefing({ name: session.record.name ?? "", machine: config.label }, others);
  return JSON.stringify({ hookSpecificOutput: { hookEventName: "SessionStart", additionalContext } });
}
