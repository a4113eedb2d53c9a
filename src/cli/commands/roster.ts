import type { CommandModule } from "yargs";
import { readRegistry } from "../../claude/registry.ts";
import { readLightConfig } from "../../core/light-config.ts";
import { resolvePaths } from "../../core/paths.ts";
import { findOwnSession } from "../../members/own-session.ts";
import { jsonOption } from "../options.ts";
import { print, printJson, terminalWidth } from "../output/print.ts";
import { styleFor } from "../output/style.ts";
import { describeRoster } from "../roster/describe-roster.ts";
import { rosterMembers } from "../roster/roster-members.ts";

interface Arguments {
  readonly json: boolean;
}

export const roster: CommandModule<object, Arguments> = {
  command: "roster",
  describe: "List the sessions of all machines, by names that `ccm send` takes",
  builder: (yargs) => yargs.options(jsonOption),
  async handler({ json }) {
    const paths = resolvePaths();
    const entries = readRegistry(paths.claudeConfig);
    const ownPid = findOwnSession(entries)?.pid;
    const members = await rosterMembers(entries, { machineLabel: readLightConfig(paths).label, ownPid });
    if (json) return printJson({ members });
    print(describeRoster(members, { home: paths.home, style: styleFor(process.stdout), width: terminalWidth() }));
  },
};
