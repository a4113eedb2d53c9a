import { hostname } from "node:os";
import { CcmError } from "../core/errors.ts";
import type { Paths } from "../core/paths.ts";
import { plainLine } from "../core/plain-text.ts";
import { readFileIfPresent } from "../core/private-file.ts";
import type { DaemonStatus } from "./control-protocol.ts";
import { takeKernelLock } from "./kernel-lock.ts";

/**
 * Throws `state_unusable` where the daemon of another machine holds the state directory: a home on a network file system that both have.
 * That daemon's socket is there to be seen, and nobody here can connect to it. A lock that is free, or held on this machine, is no such thing.
 */
export function refuseSharedHome({ lockFile, statusFile, state }: Paths): void {
  const elsewhere = hostOfLastDaemon(statusFile);
  if (elsewhere === undefined || elsewhere === hostname()) return;
  const lock = takeKernelLock(lockFile, { waitMs: 0 });
  lock?.release();
  if (lock) return;
  throw new CcmError("state_unusable", `the daemon of ${plainLine(elsewhere, 60)} keeps its state in ${state}, which this machine shares`, {
    hint: "give each machine its own: set XDG_STATE_HOME and XDG_CONFIG_HOME differently on each, where ssh and Claude Code see it, then ccm init",
  });
}

function hostOfLastDaemon(statusFile: string): string | undefined {
  try {
    const status = JSON.parse(readFileIfPresent(statusFile) ?? "null") as DaemonStatus | null;
    const name = status?.running ? status.daemon.hostname : undefined;
    return typeof name === "string" ? name : undefined;
  } catch {
    return undefined;
  }
}
