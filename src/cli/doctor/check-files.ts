import fs from "node:fs";
import path from "node:path";
import { chooseSocketDirectory } from "../../claude/socket-directory.ts";
import { toCcmError } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import { ensurePrivateDirectory, writePrivateFile } from "../../core/private-file.ts";
import { machineLabel, readConfig } from "../../daemon/config.ts";
import { count } from "../output/units.ts";
import { type Finding, ok, trouble } from "./finding.ts";

/** config.json can be read and says something valid. */
export function checkConfig(paths: Paths): Finding {
  return orFailure("config", () => {
    const config = readConfig(paths);
    const peers = config.peers.length === 0 ? "no machine paired" : `${count(config.peers.length, "machine")} paired`;
    if (fs.existsSync(paths.configFile)) return ok("config", `${paths.configFile}: this machine is ${machineLabel(config)}, ${peers}`);
    return trouble("warn", "config", `there is no ${paths.configFile}; this machine goes by ${machineLabel(config)}`, { fix: "ccm init" });
  });
}

/** A file can be made, and renamed into place, where the daemon keeps its own. */
export function checkStateDirectory(paths: Paths): Finding {
  return orFailure("state_directory", () => {
    ensurePrivateDirectory(paths.state);
    const probe = path.join(paths.state, `.doctor.${process.pid}`);
    writePrivateFile(probe, "");
    fs.rmSync(probe, { force: true });
    const othersMayWrite = (fs.statSync(paths.state).mode & 0o022) !== 0;
    if (!othersMayWrite) return ok("state_directory", `${paths.state} can be written`);
    return trouble("fail", "state_directory", `others may write to ${paths.state}`, { fix: `chmod 700 ${paths.state}` });
  });
}

/** Mirrors can bind their sockets where native senders accept them. */
export function checkSocketDirectory(environment: NodeJS.ProcessEnv): Finding {
  return orFailure("socket_directory", () => ok("socket_directory", `inboxes go to ${chooseSocketDirectory(environment)}`));
}

function orFailure(check: string, run: () => Finding): Finding {
  try {
    return run();
  } catch (error) {
    const { message, hint } = toCcmError(error);
    return trouble("fail", check, message, { fix: hint });
  }
}
