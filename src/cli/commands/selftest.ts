import type { CommandModule } from "yargs";
import { jsonOption } from "../options.ts";

interface Arguments {
  readonly claude?: string | undefined;
  readonly json: boolean;
}

export const selftest: CommandModule<object, Arguments> = {
  command: "selftest",
  describe: "Check what ccm relies on against the Claude Code installed here, in half a minute",
  builder: (yargs) =>
    yargs
      .options({ claude: { type: "string", requiresArg: true, describe: "The claude to check; the one on PATH otherwise" }, ...jsonOption })
      .example("ccm selftest", "after an upgrade of Claude Code")
      .epilogue(
        "Starts sessions with a home, a configuration and a model of their own, which cannot reach any network; nothing of yours is read or " +
          "changed, and nothing stays. Ends with 70 if something does not hold, with 71 if something could not be checked.",
      ),
  // What it needs takes longer to load than other commands take to run.
  handler: async ({ claude, json }) => (await import("../selftest/report-selftest.ts")).reportSelftest({ claude, json }),
};
