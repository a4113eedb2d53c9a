import { spawnSync } from "node:child_process";
import { isSea } from "node:sea";
import type { CommandModule } from "yargs";
import { buildInfo } from "../../core/build-info.ts";
import { CcmError } from "../../core/errors.ts";
import { type Paths, resolvePaths } from "../../core/paths.ts";
import { readConfig } from "../../daemon/config.ts";
import { releasesPlace } from "../../daemon/releases.ts";
import { daemonStatusIfRunning } from "../daemon-request.ts";
import { jsonOption } from "../options.ts";
import { print, printJson } from "../output/print.ts";

interface Arguments {
  readonly check: boolean;
  readonly to: string | undefined;
  readonly from: string | undefined;
  readonly rollback: boolean;
  readonly restart: boolean;
  readonly json: boolean;
}

/** What was done, or for `--check` would be. */
interface UpdateReport {
  readonly installed: string;
  /** Undefined where there was nothing to look for: a rollback. */
  readonly available?: string;
  readonly changed: boolean;
  readonly daemonRestarted: boolean;
}

export const update: CommandModule<object, Arguments> = {
  command: "update",
  describe: "Install the newest version, go to another one or back",
  builder: (yargs) =>
    yargs
      .options({
        check: { type: "boolean", default: false, describe: "Only say whether there is a newer version" },
        to: { type: "string", requiresArg: true, describe: "This version, older or newer" },
        from: { type: "string", requiresArg: true, describe: "An https address of releases, or a directory that holds one" },
        rollback: { type: "boolean", default: false, describe: "Back to the version before the last update" },
        restart: { type: "boolean", default: true, describe: "Restart a running daemon with it (--restart=false: leave it)" },
        ...jsonOption,
      })
      .example("ccm update --check", "")
      .example("ccm update --from ./releases --to 1.4.2", ""),
  async handler(given) {
    const paths = resolvePaths();
    if (given.rollback && (given.check || given.to !== undefined)) {
      throw new CcmError("usage", "update: --rollback goes to the version before, and takes neither --check nor --to", {
        hint: "see ccm update --help",
      });
    }
    const report = await run(paths, given);
    if (given.json) return printJson(report);
    print(describe(report, given.check));
  },
};

async function run(paths: Paths, given: Arguments): Promise<UpdateReport> {
  const current = buildInfo.version;
  // Loaded for this command alone: the network, and what unpacks.
  const { findRelease } = await import("../../ship/release/find-release.ts");
  if (given.check) {
    const { version } = await findRelease(releasesFor(paths, given), given.to, `${process.platform}-${process.arch}`);
    return { installed: current, available: version, changed: false, daemonRestarted: false };
  }
  const { updateExecutable, rollBackExecutable } = await import("../update/update-executable.ts");
  const executable = ownFile();
  const changed = given.rollback
    ? { version: await rollBackExecutable(executable, paths) }
    : await updateExecutable(executable, paths, { current, releases: releasesFor(paths, given), version: given.to });
  const replaced = changed.version !== undefined;
  return {
    installed: changed.version ?? current,
    ...("available" in changed ? { available: changed.available } : {}),
    changed: replaced,
    daemonRestarted: replaced && given.restart && (await restartDaemon(paths, executable)),
  };
}

/** By the option, the environment, the configuration, or what the release was built to look at. Throws `usage`. */
function releasesFor(paths: Paths, { from }: Arguments): string {
  const releases = from ?? releasesPlace(readConfig(paths), process.env);
  if (releases !== undefined) return releases;
  throw new CcmError("usage", "where the releases are is not known", {
    hint: 'give --from ADDRESS, set CCM_RELEASES, or put "releases" into the configuration',
  });
}

function ownFile(): string {
  if (isSea()) return process.execPath;
  throw new CcmError("usage", "ccm runs from its source here, which an update does not change", { hint: "git pull, then npm run build" });
}

/** With the new executable, which this process is not. */
async function restartDaemon(paths: Paths, executable: string): Promise<boolean> {
  if (!(await daemonStatusIfRunning(paths))) return false;
  const { status, stderr } = spawnSync(executable, ["restart"], { encoding: "utf8" });
  if (status === 0) return true;
  throw new CcmError("daemon_unavailable", `the new version is installed, but its daemon did not start: ${stderr.trim()}`, {
    hint: "see ccm status, or go back: ccm update --rollback",
  });
}

function describe({ installed, available, changed, daemonRestarted }: UpdateReport, check: boolean): string {
  if (check) return available === installed ? `${installed} is the newest version` : `${available} is available; ${installed} is installed`;
  if (!changed)
    return `${installed} is installed already${available === installed ? "" : `; ${available} is not newer (--to installs it)`}`;
  return `installed ccm ${installed}${daemonRestarted ? ", and restarted the daemon with it" : ""}`;
}
