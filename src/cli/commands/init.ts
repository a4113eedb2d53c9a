import type { CommandModule } from "yargs";
import { resolvePaths } from "../../core/paths.ts";
import { changeConfig, machineLabel, readConfig } from "../../daemon/config.ts";
import { jsonOption, requireLabel } from "../options.ts";
import { homeRelative } from "../output/home-relative.ts";
import { print, printJson } from "../output/print.ts";

interface Arguments {
  readonly label: string | undefined;
  readonly json: boolean;
}

export const init: CommandModule<object, Arguments> = {
  command: "init",
  describe: "Give this machine its name and write the configuration",
  builder: (yargs) =>
    yargs.options({
      label: { type: "string", requiresArg: true, describe: "What the other machines call this one (default: its short host name)" },
      ...jsonOption,
    }),
  handler({ label, json }) {
    const paths = resolvePaths();
    const current = readConfig(paths);
    const chosen = label === undefined ? machineLabel(current) : requireLabel(label);
    const changed = current.label !== chosen;
    if (changed) changeConfig(paths, (config) => ({ ...config, label: chosen }));
    if (json) return printJson({ label: chosen, changed, configFile: paths.configFile });
    print(`This machine is called ${chosen}${changed ? "" : " already"}.`);
    if (changed) print(`  wrote ${homeRelative(paths.configFile, paths.home)}`);
    print(current.peers.length === 0 ? "Next: ccm pair HOST" : "Next: ccm status");
  },
};
