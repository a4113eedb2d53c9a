import fs from "node:fs";
import os from "node:os";
import { CcmError, toCcmError } from "../../core/errors.ts";
import { clearAway, clearAwayNow } from "../../core/residents.ts";
import { makeThrowawayDirectory } from "../../core/throwaway-directory.ts";
import { ownExecutable } from "../../ship/own-executable.ts";
import { styleFor } from "../output/style.ts";
import { Narrator } from "./narrator.ts";
import { mustHold } from "./stage.ts";
import { tellStory } from "./story.ts";

/** What the longest socket path has behind the directory: a home and the daemon's control socket in it. */
const LONGEST_SOCKET = "/laptop/.local/state/claude-code-message/daemon.sock";
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * `ccm demo`: two machines in throwaway homes, and the whole path between them by real commands. Whatever ends it, what it made is
 * gone then. Rejects with the reason and the step if anything is not as it should be.
 */
export async function runDemo(): Promise<void> {
  await ownExecutable();
  const directory = makeThrowawayDirectory({ prefix: "ccm-demo-", longestSocket: LONGEST_SOCKET });
  const stop = new AbortController();
  const interrupt = (signal: NodeJS.Signals): void => {
    // The second time it is meant at once.
    if (stop.signal.aborted) process.exit(exitCodeOf(signal));
    process.exitCode = exitCodeOf(signal);
    stop.abort(signal);
  };
  const lastResort = (): void => clearAwayNow(directory);
  for (const signal of STOP_SIGNALS) process.on(signal, interrupt);
  process.on("exit", lastResort);
  const narrator = new Narrator(process.stdout, styleFor(process.stdout));
  const startedMs = performance.now();
  try {
    await tellStory({ narrator, directory, signal: stop.signal });
    await clearAway(directory);
    mustHold(!fs.existsSync(directory), `${directory} is still there`);
    narrator.gap();
    narrator.say("Nothing is left: no process, no socket, no file.");
    narrator.end(`All of it worked, in ${((performance.now() - startedMs) / 1000).toFixed(1)} s. On machines of your own: ccm pair HOST`);
  } catch (error) {
    if (stop.signal.aborted) narrator.end("Interrupted: what the demo made is removed.");
    else throw stoppedAt(narrator.step, error);
  } finally {
    await clearAway(directory);
    for (const signal of STOP_SIGNALS) process.off(signal, interrupt);
    process.off("exit", lastResort);
  }
}

function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + os.constants.signals[signal];
}

function stoppedAt(step: string, error: unknown): CcmError {
  const { code, message, hint } = toCcmError(error);
  return new CcmError(code, `the demo stopped ${step}: ${message}`, { cause: error, ...(hint !== undefined && { hint }) });
}
