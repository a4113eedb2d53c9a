import type { CommandModule } from "yargs";
import { resolvePaths } from "../../core/paths.ts";
import { daemonStatus, daemonStatusIfRunning } from "../daemon-request.ts";
import { jsonOption } from "../options.ts";
import { print, printJson } from "../output/print.ts";
import { startDaemon } from "../service/start-daemon.ts";

interface Arguments {
  readonly json: boolean;
}

export const up: CommandModule<object, Arguments> = {
  command: "up",
  describe: "Start the daemon of this machine, unless it runs",
  builder: (yargs) => yargs.options(jsonOption),
  async handler({ json }) {
    const paths = resolvePaths();
    const before = await daemonStatusIfRunning(paths);
    if (!before) await startDaemon(paths, process.env);
    const { daemon } = before ?? (await daemonStatus(paths));
    if (json) return printJson({ started: !before, pid: daemon.pid, version: daemon.version });
    print(before ? `already running (pid ${daemon.pid}, ccm ${daemon.version})` : `started (pid ${daemon.pid}, ccm ${daemon.version})`);
  },
};
