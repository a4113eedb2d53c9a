import type { CommandModule } from "yargs";
import { runSend } from "../send/run-send.ts";
import { sendOptions } from "../send/send-options.ts";

interface Arguments {
  readonly name: string;
  readonly text: string[] | undefined;
  readonly json: boolean | undefined;
  readonly wait: string | undefined;
}

/** For help and completion: a plain `ccm send …` goes from `main.ts` to {@link runSend} without yargs. */
export const send: CommandModule<object, Arguments> = {
  command: "send <name> [text..]",
  describe: "Write a message to a session, here or on another machine",
  builder: (yargs) =>
    yargs
      .positional("name", { type: "string", demandOption: true, describe: "A name or address that `ccm roster` shows, or a session id" })
      .positional("text", { type: "string", array: true, describe: "The message; `-` or none: stdin" })
      .options(sendOptions)
      .example("ccm send server-api 'the schema is merged'", "")
      .example("git diff | ccm send server-api", "")
      .example("ccm send --wait=60 server-api 'may I deploy?'", ""),
  handler: ({ name, text = [], json = false, wait }) =>
    runSend([...(json ? ["--json"] : []), ...(wait === undefined ? [] : [wait === "" ? "--wait" : `--wait=${wait}`]), "--", name, ...text]),
};
