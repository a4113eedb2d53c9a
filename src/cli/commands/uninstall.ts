import type { CommandModule } from "yargs";
import { resolvePaths } from "../../core/paths.ts";
import { stopDaemon } from "../daemon-request.ts";
import { applyChanges } from "../init/apply-changes.ts";
import { planUninstall } from "../init/plan-init.ts";
import { dryRunOption, jsonOption } from "../options.ts";
import { homeRelative } from "../output/home-relative.ts";
import { print, printJson } from "../output/print.ts";
import { describeDryRun } from "./init.ts";

interface Arguments {
  readonly "dry-run": boolean;
  readonly json: boolean;
}

export const uninstall: CommandModule<object, Arguments> = {
  command: "uninstall",
  describe: "Take the hooks and the plugin out of Claude Code again, and stop the daemon",
  builder: (yargs) => yargs.options({ ...dryRunOption, ...jsonOption }),
  async handler({ "dry-run": isDryRun, json }) {
    const paths = resolvePaths();
    const { changes, notes } = planUninstall(paths, process.env);
    const said = [...changes.map(({ what }) => what), "stop the daemon"];
    if (isDryRun) return json ? printJson({ changes: said, notes, dryRun: true }) : print(describeDryRun(said, notes));
    await applyChanges(changes, (done) => (json ? undefined : print(done)));
    const stopped = await stopDaemon(paths, { final: true });
    const left = [paths.config, paths.state, paths.cache].map((directory) => homeRelative(directory, paths.home));
    if (json) return printJson({ changes: changes.map(({ what }) => what), notes, stopped, left });
    for (const note of notes) print(note);
    print(
      `${stopped ? "stopped the daemon" : "no daemon was running"}\nLeft, for you to remove: ${left.join(", ")}, and the executable itself`,
    );
  },
};
