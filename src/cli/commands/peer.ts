import type { CommandModule } from "yargs";
import type { InboundPolicy, ModeClass } from "../../claude/admission/consent.ts";
import { CcmError } from "../../core/errors.ts";
import { type Paths, resolvePaths } from "../../core/paths.ts";
import { lastOf, listParserConfiguration } from "../options.ts";
import { followForPeer } from "../peer/follow-for-peer.ts";

interface Arguments {
  readonly name: string;
  readonly alias: readonly string[] | undefined;
  readonly "session-id": string | undefined;
  readonly inbound: InboundPolicy;
  readonly mode: ModeClass | undefined;
}

/** As envelopes and names of directories take it. */
const SESSION_ID = /^[A-Za-z0-9_-]{1,80}$/;

export const peer: CommandModule<object, Arguments> = {
  command: "peer",
  describe: "Be a member of the chat: a program writes commands to stdin and reads events from stdout, as JSON lines",
  builder: (yargs) =>
    yargs
      .parserConfiguration(listParserConfiguration)
      .options({
        name: { type: "string", demandOption: true, requiresArg: true, coerce: lastOf<string>, describe: "What the others call it" },
        alias: {
          type: "string",
          array: true,
          requiresArg: true,
          describe: "Another name that it may write as; listed when that is first used (may be given again)",
        },
        "session-id": {
          type: "string",
          requiresArg: true,
          coerce: lastOf<string | undefined>,
          describe: "Its session id, to go on with a conversation (default: a new one)",
        },
        inbound: {
          choices: ["accept", "parity", "hold", "refuse"] as const,
          default: "accept" as const,
          requiresArg: true,
          coerce: lastOf<InboundPolicy>,
          describe: "What becomes of messages: parity holds those of another permission class, as Claude Code does",
        },
        mode: {
          choices: ["prompting", "bypass"] as const,
          requiresArg: true,
          coerce: lastOf<ModeClass | undefined>,
          describe: "The permission class that it declares; by default none",
        },
      })
      .example("ccm peer --name build-bot", "")
      .example(`echo '{"op":"send","to":"api","text":"the build is green"}' | ccm peer --name build-bot`, "")
      .epilogue("Commands and events: `ccm schema peer-input`, `ccm schema peer-output`. It ends with its input."),
  async handler({ name, alias = [], inbound, mode, "session-id": sessionId }) {
    for (const one of [name, ...alias]) requireName(one);
    if (sessionId !== undefined && !SESSION_ID.test(sessionId)) throw new CcmError("usage", `"${sessionId}" cannot be a session id`);
    const paths = resolvePaths();
    const { runPeer } = await import("../../peer/run-peer.ts");
    await runPeer({
      name,
      sessionId,
      aliases: alias,
      inbound,
      mode,
      claudeConfig: paths.claudeConfig,
      env: process.env,
      cwd: workingDirectory(paths),
      follow: followForPeer(paths),
    });
  },
};

/** It may be gone. */
function workingDirectory({ home }: Paths): string {
  try {
    return process.cwd();
  } catch {
    return home;
  }
}

function requireName(name: string): void {
  if (name.trim() === "") throw new CcmError("usage", "a name cannot be empty");
}
