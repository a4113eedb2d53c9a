import type { CommandModule } from "yargs";
import { readRegistry } from "../../claude/registry.ts";
import { type Paths, resolvePaths } from "../../core/paths.ts";
import { type RosterMember, rosterContext, rosterMembers } from "../../members/roster-members.ts";
import { jsonOption, listParserConfiguration } from "../options.ts";
import { clearScreen, print, printJson, terminalWidth } from "../output/print.ts";
import { styleFor } from "../output/style.ts";
import { untilInterrupted } from "../output/until-interrupted.ts";
import { describeRoster } from "../roster/describe-roster.ts";
import { type Selection, selectionOptions, selectMembers } from "../roster/select-members.ts";
import { watchRoster } from "../roster/watch-roster.ts";

interface Arguments extends Selection {
  readonly watch: boolean;
  readonly json: boolean;
}

export const roster: CommandModule<object, Arguments> = {
  command: "roster",
  describe: "List the sessions of all machines, by names that `ccm send` takes",
  builder: (yargs) =>
    yargs
      .parserConfiguration(listParserConfiguration)
      .options({
        ...selectionOptions,
        name: { type: "string", array: true, requiresArg: true, describe: "Only sessions of that name; * stands for anything" },
        watch: { type: "boolean", default: false, describe: "Show the list again whenever it changes" },
        ...jsonOption,
      })
      .example("ccm roster --node server --match login", ""),
  async handler(given) {
    const paths = resolvePaths();
    const show = given.json ? (members: RosterMember[]) => printJson({ members }) : tablePrinter(paths, given.watch);
    if (given.watch) {
      await watchRoster(paths, (members) => show(selectMembers(members, given, { mayBeAbsent: true })), untilInterrupted());
      return;
    }
    const entries = readRegistry(paths.claudeConfig);
    show(selectMembers(await rosterMembers(entries, rosterContext(paths, entries)), given));
  },
};

function tablePrinter(paths: Paths, isRepeated: boolean): (members: RosterMember[]) => void {
  return (members) => {
    if (isRepeated) clearScreen();
    print(describeRoster(members, { home: paths.home, style: styleFor(process.stdout), width: terminalWidth() }));
  };
}
