import { isJsonObject } from "../claude/session-record.ts";
import { isSessionId } from "../members/session-file.ts";

export const hookEvents = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SessionEnd"] as const;
export type HookEvent = (typeof hookEvents)[number];

/** What Claude Code tells a hook on its stdin, as far as it is used here. A field of another type counts as absent. */
export interface HookInput {
  readonly sessionId: string;
  readonly transcriptPath?: string | undefined;
  readonly cwd?: string | undefined;
  readonly permissionMode?: string | undefined;
  /** SessionStart: `startup`, `resume`, `clear`, `compact`. */
  readonly source?: string | undefined;
  /** SessionEnd: `clear`, `logout`, `other`, … */
  readonly reason?: string | undefined;
  readonly prompt?: string | undefined;
  readonly toolName?: string | undefined;
  readonly toolInput?: Readonly<Record<string, unknown>> | undefined;
  readonly toolResponse?: Readonly<Record<string, unknown>> | undefined;
}

/** Undefined for what is no hook input; a hook then does nothing. */
export function parseHookInput(text: string): HookInput | undefined {
  const value = parseObject(text);
  const sessionId = value?.["session_id"];
  if (!value || !isSessionId(sessionId)) return undefined;
  return {
    sessionId,
    transcriptPath: textOf(value["transcript_path"]),
    cwd: textOf(value["cwd"]),
    permissionMode: textOf(value["permission_mode"]),
    source: textOf(value["source"]),
    reason: textOf(value["reason"]),
    prompt: textOf(value["prompt"]),
    toolName: textOf(value["tool_name"]),
    toolInput: isJsonObject(value["tool_input"]) ? value["tool_input"] : undefined,
    toolResponse: objectOf(value["tool_response"]),
  };
}

/** Claude Code gives the tool's own object, or its text. */
function objectOf(value: unknown): Record<string, unknown> | undefined {
  if (isJsonObject(value)) return value;
  return typeof value === "string" ? parseObject(value) : undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
