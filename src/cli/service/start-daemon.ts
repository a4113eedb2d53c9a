import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { toCcmError } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import { plainLine } from "../../core/plain-text.ts";
import { ensureDaemon } from "../../daemon/ensure-daemon.ts";
import { daemonStatusIfRunning } from "../daemon-request.ts";
import { serviceManager } from "./find-manager.ts";

const START_DEADLINE_MS = 10_000;
const RETRY_MS = 25;

/**
 * Has a daemon run: as the service where one is installed, so that it is watched and logged there, else by itself. A service
 * that cannot be started is no reason to have none: the daemon then runs by itself, and stderr says why.
 */
export async function startDaemon(paths: Paths, environment: NodeJS.ProcessEnv): Promise<void> {
  const manager = serviceManager(paths);
  if (fs.existsSync(manager.file)) {
    await manager.start().then(() => untilRunning(paths), tellProblem);
  }
  await ensureDaemon(paths, environment);
}

/** A service's start is answered before its daemon listens; one more, started beside it, would take its place. */
export async function untilRunning(paths: Paths): Promise<void> {
  const deadlineMs = performance.now() + START_DEADLINE_MS;
  while (!(await daemonStatusIfRunning(paths)) && performance.now() < deadlineMs) await delay(RETRY_MS);
}

function tellProblem(error: unknown): void {
  process.stderr.write(`ccm: the daemon runs by itself, for its service cannot be started: ${plainLine(toCcmError(error).message, 300)}\n`);
}
