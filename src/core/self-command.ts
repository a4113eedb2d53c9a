import fs from "node:fs";
import path from "node:path";
import { isSea } from "node:sea";

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * How this program starts itself again with a subcommand: the single executable alone, or the runtime and the source.
 * Right for a spawn at once, from this process: the path of an executable that was moved, replaced or removed is not kept.
 */
export function selfCommand(args: readonly string[]): Command {
  if (isSea()) return { file: runningExecutable(), args };
  return { file: process.execPath, args: [path.join(import.meta.dirname, "..", "main.ts"), ...args] };
}

/** Linux's name for the file that this process runs, whatever has become of its path. */
export const RUNNING_IMAGE = "/proc/self/exe";

/**
 * What to start so that it is the file that runs here: `recorded`, the path at our start, or Linux's own name for it once an
 * update has put another build there or the file was moved. What we start must speak as we do.
 */
export function runningExecutable(recorded: string = process.execPath, image: string = RUNNING_IMAGE): string {
  const running = identify(image);
  return running === undefined || running === identify(recorded) ? recorded : image;
}

function identify(file: string): string | undefined {
  const status = fs.statSync(file, { throwIfNoEntry: false });
  return status && `${status.dev}:${status.ino}`;
}

/** Variables of a session that must not reach a daemon: a Claude Code started from it later would take itself for a child. */
const SESSION_VARIABLES = /^(CLAUDECODE|CLAUDE_PID|CLAUDE_CODE_(?!TMPDIR$).*|CLAUDE_PLUGIN_.*)$/;
/** Variables that change how the runtime itself starts. */
const RUNTIME_VARIABLES = /^(NODE_OPTIONS|NODE_EXTRA_CA_CERTS|NODE_REPL_.*|NODE_V8_COVERAGE|NODE_DEBUG.*)$/;

/** The environment for a long-lived child: as given, without the variables of one session and of other Node programs. */
export function detachedEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !SESSION_VARIABLES.test(name) && !RUNTIME_VARIABLES.test(name)));
}
