import { isSea } from "node:sea";
import type { CommandModule } from "yargs";
import { CcmError, exitCodes } from "../../core/errors.ts";
import { type Paths, resolvePaths } from "../../core/paths.ts";
import { stopDaemon } from "../daemon-request.ts";
import { jsonOption } from "../options.ts";
import { homeRelative } from "../output/home-relative.ts";
import { print, printJson } from "../output/print.ts";
import { serviceManager } from "../service/find-manager.ts";
import { decidingVariables, type ServiceManager } from "../service/service-manager.ts";
import { untilRunning } from "../service/start-daemon.ts";

const ACTIONS = ["install", "uninstall", "status"] as const;

interface Arguments {
  readonly action: (typeof ACTIONS)[number];
  readonly json: boolean;
}

export const service: CommandModule<object, Arguments> = {
  command: "service <action>",
  describe: "Have the daemon started at login and kept running",
  builder: (yargs) =>
    yargs
      .positional("action", { choices: ACTIONS, demandOption: true, describe: "What to do with the service of this user" })
      .options(jsonOption)
      .example("ccm service install", ""),
  async handler({ action, json }) {
    const paths = resolvePaths();
    const manager = serviceManager(paths);
    if (action === "install") await install(manager, paths, json);
    else if (action === "uninstall") await uninstall(manager, json);
    else await showState(manager, json);
  },
};

/** A daemon that runs by itself makes room: two cannot be. */
async function install(manager: ServiceManager, paths: Paths, json: boolean): Promise<void> {
  const executable = installedFile(paths);
  await stopDaemon(paths, { final: false });
  await manager.install({ executable, environment: decidingVariables(process.env) });
  await untilRunning(paths);
  const state = await manager.state();
  const advice = await manager.advice();
  if (json) return printJson({ manager: manager.name, file: manager.file, ...state, advice });
  print(`the daemon is a service of ${manager.name} now: ${state.detail}`);
  print([`  ${homeRelative(manager.file, paths.home)}`, ...advice.map((line) => `  ${line}`)].join("\n"));
}

async function uninstall(manager: ServiceManager, json: boolean): Promise<void> {
  const uninstalled = await manager.uninstall();
  if (json) return printJson({ uninstalled });
  print(uninstalled ? "the daemon is no service any more; ccm up starts it by itself" : "the daemon is no service");
}

async function showState(manager: ServiceManager, json: boolean): Promise<void> {
  const state = await manager.state();
  if (!state.running) process.exitCode = exitCodes.daemon_unavailable;
  if (json) return printJson({ manager: manager.name, file: manager.file, ...state });
  print(state.installed ? `${manager.name}: ${state.detail}` : "the daemon is no service: ccm service install makes it one");
}

/** A path that stays: the one that another machine brought along is swept with its version. */
function installedFile(paths: Paths): string {
  if (!isSea() || process.execPath.startsWith(paths.cache)) {
    throw new CcmError("usage", "a service needs an installed ccm, which this is not", {
      hint: "install it with install.sh, then run that one",
    });
  }
  return process.execPath;
}
