import fs from "node:fs";
import { CcmError, toCcmError } from "../../core/errors.ts";
import { inThrowawayDirectory } from "../../core/in-throwaway-directory.ts";
import { clearAway } from "../../core/residents.ts";
import { ownExecutable } from "../../ship/own-executable.ts";
import { styleFor } from "../output/style.ts";
import { Narrator } from "./narrator.ts";
import { mustHold } from "./stage.ts";
import { tellStory } from "./story.ts";

/** What the longest socket path has behind the directory: a home and the daemon's control socket in it. */
const LONGEST_SOCKET = "/laptop/.local/state/claude-code-message/daemon.sock";

/**
 * `ccm demo`: two machines in throwaway homes, and the whole path between them by real commands. Whatever ends it, what it made is
 * gone then. Rejects with the reason and the step if anything is not as it should be.
 */
export async function runDemo(): Promise<void> {
  await ownExecutable();
  const narrator = new Narrator(process.stdout, styleFor(process.stdout));
  const startedMs = performance.now();
  const told = await inThrowawayDirectory({ prefix: "ccm-demo-", longestSocket: LONGEST_SOCKET }, async (directory, signal) => {
    try {
      await tellStory({ narrator, directory, signal });
      await clearAway(directory);
      mustHold(!fs.existsSync(directory), `${directory} is still there`);
    } catch (error) {
      throw stoppedAt(narrator.step, error);
    }
  });
  if (told === undefined) return narrator.end("Interrupted: what the demo made is removed.");
  narrator.gap();
  narrator.say("Nothing is left: no process, no socket, no file.");
  narrator.end(`All of it worked, in ${((performance.now() - startedMs) / 1000).toFixed(1)} s. On machines of your own: ccm pair HOST`);
}

function stoppedAt(step: string, error: unknown): CcmError {
  const { code, message, hint } = toCcmError(error);
  return new CcmError(code, `the demo stopped ${step}: ${message}`, { cause: error, ...(hint !== undefined && { hint }) });
}
