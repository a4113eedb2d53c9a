import type { CommandModule } from "yargs";
import { resolvePaths } from "../../core/paths.ts";
import { plainText } from "../../core/plain-text.ts";
import { ask as askSession } from "../ask/ask.ts";
import { progressTo } from "../ask/progress.ts";
import { jsonOption } from "../options.ts";
import { print, printJson } from "../output/print.ts";
import { parseSeconds } from "../send/parse-seconds.ts";
import { readStdinText } from "../send/read-stdin-text.ts";

interface Arguments {
  readonly name: string;
  readonly text: string[] | undefined;
  readonly timeout: string;
  readonly json: boolean;
}

/** A session may first have to finish what it is at. */
const DEFAULT_TIMEOUT_SECONDS = "300";

export const ask: CommandModule<object, Arguments> = {
  command: "ask <name> [text..]",
  describe: "Write to a session, wait for its answer and print that alone",
  builder: (yargs) =>
    yargs
      .positional("name", { type: "string", demandOption: true, describe: "A name or address that `ccm roster` shows, or a session id" })
      .positional("text", { type: "string", array: true, describe: "The question; `-` or none: stdin" })
      .options({
        timeout: { type: "string", requiresArg: true, default: DEFAULT_TIMEOUT_SECONDS, describe: "How long to wait, in seconds" },
        ...jsonOption,
      })
      .example("ccm ask server-api 'which port does staging use?'", ""),
  async handler({ name, text = [], timeout, json }) {
    const timeoutMs = parseSeconds(timeout, "ask: --timeout");
    const isFromStdin = text.length === 0 || (text.length === 1 && text[0] === "-");
    const question = isFromStdin ? await readStdinText("ask") : text.join(" ");
    const progress = progressTo(json ? undefined : process.stderr);
    try {
      const onState = progress.tell;
      const answered = await askSession({ name, text: question, timeoutMs, paths: resolvePaths(), environment: process.env, onState });
      if (json) printJson(answered);
      // A terminal must not act on what a session wrote; a program gets it as it is.
      else print(process.stdout.isTTY ? plainText(answered.answer) : answered.answer);
    } finally {
      progress.end();
    }
  },
};
