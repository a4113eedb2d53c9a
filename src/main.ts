import { toCcmError } from "./core/errors.ts";
import { plainLine } from "./core/plain-text.ts";
import { versionLine } from "./core/version-line.ts";

/**
 * The first word chooses a room. What runs often or many times over (hook, mirror, serve, a plain send) is in this bundle and
 * small; everything else, with yargs, zod and ssh2, is in the second bundle that only `cli/command-line.ts` opens.
 */
async function main(words: readonly string[]): Promise<void> {
  switch (words[0]) {
    case "--version":
    case "-v":
    case "version":
      process.stdout.write(`${versionLine()}\n`);
      return;
    case "hook":
      return (await import("./hooks/run-hook.ts")).runHook(words.slice(1));
    case "mirror":
      return (await import("./mirror/run-mirror.ts")).runMirror();
    case "serve":
      return (await import("./daemon/serve.ts")).serve(words.slice(1));
    case "settle":
      return (await import("./ship/settle.ts")).settle(words.slice(1));
    case "send":
      if (asksForHelp(words)) break;
      return (await import("./cli/send/run-send.ts")).runSend(words.slice(1));
  }
  return (await import("./cli/command-line.ts")).runCommandLine(words);
}

function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return words.slice(0, end === -1 ? undefined : end).some((word) => word === "--help" || word === "-h");
}

/** What no room dealt with itself: one line, and the exit code of the table. */
function fail(thrown: unknown): void {
  const { message, hint, exitCode } = toCcmError(thrown);
  process.stderr.write(`ccm: ${plainLine(message, 500)}${hint === undefined ? "" : ` (${plainLine(hint, 500)})`}\n`);
  process.exitCode = exitCode;
}

// CommonJS, which a single executable starts fastest with, has no top-level await.
main(process.argv.slice(2)).catch(fail);
