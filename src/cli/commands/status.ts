import type { CommandModule } from "yargs";
import { exitCodes } from "../../core/errors.ts";
import { type Paths, resolvePaths } from "../../core/paths.ts";
import { readFileIfPresent } from "../../core/private-file.ts";
import { readConfig } from "../../daemon/config.ts";
import type { DaemonStatus } from "../../daemon/control-protocol.ts";
import { daemonStatusIfRunning } from "../daemon-request.ts";
import { jsonOption } from "../options.ts";
import { print, printJson } from "../output/print.ts";
import { styleFor } from "../output/style.ts";
import { describeStatus } from "../status/describe-status.ts";

interface Arguments {
  readonly json: boolean;
}

export const status: CommandModule<object, Arguments> = {
  command: "status",
  describe: "Show the daemon and the link to each paired machine",
  builder: (yargs) => yargs.options(jsonOption),
  async handler({ json }) {
    const paths = resolvePaths();
    const running = await daemonStatusIfRunning(paths);
    const shown = running ?? lastStatus(paths);
    if (!running) process.exitCode = exitCodes.daemon_unavailable;
    if (json) return printJson({ ...shown, running: running !== undefined });
    const pairedLabels = readConfig(paths).peers.map(({ label }) => label);
    print(describeStatus(shown, { running: running !== undefined, pairedLabels, nowMs: Date.now(), style: styleFor(process.stdout) }));
  },
};

/** What the last daemon left behind; undefined if none ever ran, or if what is there is not a status. */
function lastStatus(paths: Paths): DaemonStatus | undefined {
  try {
    const content = JSON.parse(readFileIfPresent(paths.statusFile) ?? "null") as DaemonStatus | null;
    return content && Array.isArray(content.peers) && content.daemon && content.machine ? content : undefined;
  } catch {
    return undefined;
  }
}
