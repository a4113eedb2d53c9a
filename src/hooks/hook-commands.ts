import type { HookEvent } from "./hook-input.ts";

/** As it stands in hooks.json and settings.json. */
export interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly { readonly type: "command"; readonly command: string; readonly timeout: number }[];
}

export type HookSettings = Readonly<Record<HookEvent, readonly HookGroup[]>>;

/** Ends a command that `ccm init` put into settings.json, and so tells it from the person's own. A comment to the shell. */
export const SETTINGS_MARK = "# claude-code-message";
/** Claude Code's patience with one hook; SessionEnd hooks share 1.5 s whatever is said here. */
const TIMEOUT_SECONDS = 10;
/** Which tools a hook is called for; for all others it would only cost time. */
const MATCHERS: Partial<Record<HookEvent, string>> = { PreToolUse: "Bash|SendMessage", PostToolUse: "SendMessage" };
const EVENTS: readonly HookEvent[] = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SessionEnd"];

/** The hooks of a plugin or of settings.json. `program` is the stable path of the executable, or a runtime and what it runs. */
export function hookSettings(program: readonly string[], place: "plugin" | "settings"): HookSettings {
  return Object.fromEntries(EVENTS.map((event) => [event, [hookGroup(program, event, place)]])) as unknown as HookSettings;
}

function hookGroup(program: readonly string[], event: HookEvent, place: "plugin" | "settings"): HookGroup {
  const matcher = MATCHERS[event];
  const command = hookCommand(program, [event, ...(place === "settings" ? ["--from-settings"] : [])]);
  const marked = place === "settings" ? `${command} ${SETTINGS_MARK}` : command;
  return { ...(matcher !== undefined && { matcher }), hooks: [{ type: "command", command: marked, timeout: TIMEOUT_SECONDS }] };
}

/**
 * Succeeds silently where the executable is gone, cannot run, or is one that knows no hooks: a session must never suffer from that. The input
 * is read all the same, or Claude Code would write it into a closed pipe.
 */
function hookCommand(program: readonly string[], words: readonly string[]): string {
  const [file = "", ...rest] = program.map(quoted);
  return `[ -x ${file} ] && ${[file, ...rest, "hook", ...words].join(" ")} 2>/dev/null || cat >/dev/null 2>&1 || :`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
