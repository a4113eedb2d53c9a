import type { CommandModule } from "yargs";
import { resolvePaths } from "../../core/paths.ts";
import { stopDaemon } from "../daemon-request.ts";
import { jsonOption } from "../options.ts";
import { print, printJson } from "../output/print.ts";

interface Arguments {
  readonly json: boolean;
}

export const down: CommandModule<object, Arguments> = {
  command: "down",
  describe: "Stop the daemon: its links end, remote sessions leave the list",
  builder: (yargs) => yargs.options(jsonOption),
  async handler({ json }) {
    const stopped = await stopDaemon(resolvePaths(), { final: true });
    if (json) return printJson({ stopped });
    print(stopped ? "stopped" : "no daemon was running");
  },
};
