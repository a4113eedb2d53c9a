import path from "node:path";
import type { Paths } from "../../core/paths.ts";
import { LaunchdManager } from "./launchd-manager.ts";
import type { ServiceManager } from "./service-manager.ts";
import { SystemdManager } from "./systemd-manager.ts";

/** This system's, for the daemon of these paths. Whether it runs shows when it is asked. */
export function serviceManager(paths: Paths, platform: NodeJS.Platform = process.platform): ServiceManager {
  // A second Claude config directory has its state in `profiles/<hash>`, and a service of its own.
  const suffix = path.basename(path.dirname(paths.state)) === "profiles" ? `-${path.basename(paths.state)}` : "";
  if (platform === "darwin") return new LaunchdManager(paths.home, suffix, paths.logFile);
  // Of the person, not of the Claude config directory: systemd looks nowhere else.
  const ownConfig = suffix === "" ? paths.config : path.dirname(path.dirname(paths.config));
  return new SystemdManager(path.dirname(ownConfig), suffix);
}
