import { setTimeout as delay } from "node:timers/promises";
import { isAlive } from "../claude/process-identity.ts";
import { CcmError } from "../core/errors.ts";
import type { Paths } from "../core/paths.ts";
import { askDaemon } from "../daemon/control-client.ts";
import type { DaemonStatus } from "../daemon/control-protocol.ts";

/** The daemon answers from memory. */
const STATUS_TIMEOUT_MS = 5_000;
/** A reload reads one file and starts or ends dials without waiting for them. */
const RELOAD_TIMEOUT_MS = 10_000;
/** Mirrors are closed in grades, the last a kill. */
const STOP_TIMEOUT_MS = 20_000;
const END_TIMEOUT_MS = 5_000;
const END_POLL_MS = 10;

export async function daemonStatus(paths: Paths): Promise<DaemonStatus> {
  const answer = await askDaemon(paths, { op: "status" }, { timeoutMs: STATUS_TIMEOUT_MS });
  if ("status" in answer) return answer.status;
  throw new CcmError("internal", "the daemon's answer has no status");
}

/** As {@link daemonStatus}; undefined where no daemon runs. */
export async function daemonStatusIfRunning(paths: Paths): Promise<DaemonStatus | undefined> {
  return await ifRunning(daemonStatus(paths));
}

/** Tells a running daemon that config.json changed. False if none runs: the next one reads it anyway. */
export async function reloadDaemon(paths: Paths): Promise<boolean> {
  return (await ifRunning(askDaemon(paths, { op: "reload" }, { timeoutMs: RELOAD_TIMEOUT_MS }))) !== undefined;
}

/**
 * Settles when the daemon has closed everything and its process is gone, so that another can take its place. False if none was
 * running. `final`: no new one follows at once.
 */
export async function stopDaemon(paths: Paths, { final }: { readonly final: boolean }): Promise<boolean> {
  const running = await daemonStatusIfRunning(paths);
  const stopped = (await ifRunning(askDaemon(paths, { op: "stop", final }, { timeoutMs: STOP_TIMEOUT_MS }))) !== undefined;
  if (running) await processEnd(running.daemon.pid);
  return stopped;
}

/** A daemon has nothing left to do once it has answered; one that lingers is no reason to wait longer. */
async function processEnd(pid: number): Promise<void> {
  const deadlineMs = performance.now() + END_TIMEOUT_MS;
  while (isAlive(pid) && performance.now() < deadlineMs) await delay(END_POLL_MS);
}

/** Undefined where no daemon runs. */
export async function ifRunning<Result>(asked: Promise<Result>): Promise<Result | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof CcmError && error.code === "daemon_unavailable") return undefined;
    throw error;
  }
}
