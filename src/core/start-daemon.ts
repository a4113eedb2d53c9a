import { spawn } from "node:child_process";
import { detachedEnvironment, selfCommand } from "./self-command.ts";

/**
 * Starts a daemon and does not wait for it; one that finds another running leaves at once. In a process session of its own, without
 * any of our descriptors: a hook's or an ssh connection's end must not end it, and a hook's must not wait for it.
 */
export function startDaemonDetached(environment: NodeJS.ProcessEnv): void {
  const { file, args } = selfCommand(["daemon"]);
  spawn(file, args, { detached: true, stdio: "ignore", cwd: "/", env: detachedEnvironment(environment) })
    .on("error", () => undefined)
    .unref();
}
