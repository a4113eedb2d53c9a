import fs from "node:fs";
import { openLog } from "../core/log.ts";
import { type Paths, resolvePaths } from "../core/paths.ts";
import { HookContext } from "./hook-context.ts";
import { type HookEvent, hookEvents, parseHookInput } from "./hook-input.ts";
import { isLeftToPlugin } from "./plugin-enabled.ts";
import { sessionEndSteps } from "./session-end.ts";
import { sessionStartSteps } from "./session-start.ts";
import { postToolUseSteps, preToolUseSteps } from "./tool-use.ts";
import { userPromptSubmitSteps } from "./user-prompt-submit.ts";

/** One thing that a hook does. A text that it returns goes to Claude Code; what it throws keeps no other step from its work. */
export type HookStep = (context: HookContext) => unknown;

const steps: Readonly<Record<HookEvent, readonly HookStep[]>> = {
  SessionStart: sessionStartSteps,
  UserPromptSubmit: userPromptSubmitSteps,
  PreToolUse: preToolUseSteps,
  PostToolUse: postToolUseSteps,
  SessionEnd: sessionEndSteps,
};

const STDIN = 0;
const STDOUT = 1;

/**
 * `ccm hook EVENT`: what runs inside a session's hooks, in the time that a person waits. Work on files alone: no connection and no waiting.
 * Whatever happens, stdout holds one JSON object or nothing, and the exit code is 0: another one could reject a person's prompt.
 */
export function runHook(words: readonly string[]): void {
  process.exitCode = 0;
  const [word, ...options] = words;
  const event = hookEvents.find((known) => known === word);
  if (event === undefined) return;
  try {
    const paths = resolvePaths();
    if (options.includes("--from-settings") && isLeftToPlugin(paths)) return;
    const input = parseHookInput(fs.readFileSync(STDIN, "utf8"));
    if (!input) return;
    const context = new HookContext(paths, input);
    for (const step of steps[event]) runStep(step, context, event);
  } catch {
    // Nobody to tell: without paths or input there is no log, and Claude Code must not be shown an error.
  }
}

function runStep(step: HookStep, context: HookContext, event: HookEvent): void {
  try {
    const output = step(context);
    if (typeof output === "string") fs.writeSync(STDOUT, `${output}\n`);
  } catch (error) {
    report(context.paths, `hook ${event}: ${step.name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function report({ logFile }: Paths, message: string): void {
  openLog(logFile).warn(message);
}
