import type { CommandModule } from "yargs";
import { resolvePaths } from "../../core/paths.ts";
import { daemonStatus, stopDaemon } from "../daemon-request.ts";
import { jsonOption } from "../options.ts";
import { print, printJson } from "../output/print.ts";
import { startDaemon } from "../service/start-daemon.ts";

interface Arguments {
  readonly json: boolean;
}

export const restart: CommandModule<object, Arguments> = {
  command: "restart",
  describe: "Stop the daemon and start this version of it",
  builder: (yargs) => yargs.options(jsonOption),
  async handler({ json }) {
    const paths = resolvePaths();
    const stopped = await stopDaemon(paths, { final: false });
    await startDaemon(paths, process.env);
    const { daemon } = await daemonStatus(paths);
    if (json) return printJson({ stopped, pid: daemon.pid, version: daemon.version });
    print(`${stopped ? "restarted" : "no daemon was running; started"} (pid ${daemon.pid}, ccm ${daemon.version})`);
  },
};
