import type net from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { CcmError, toCcmError } from "../core/errors.ts";
import type { Paths } from "../core/paths.ts";
import { startDaemonDetached } from "../core/start-daemon.ts";
import { connectDaemon } from "./control-client.ts";
import { refuseSharedHome } from "./shared-home.ts";

const START_DEADLINE_MS = 10_000;
const START_AGAIN_MS = 3_000;
const RETRY_MS = 25;

/**
 * A connection to the daemon, which is started first if there is none. Several callers at once end up with one daemon: the
 * others find its lock taken and leave. Rejects with `daemon_unavailable`, naming the log, when it does not come up in 10 s, and
 * with what {@link refuseSharedHome} throws.
 */
export async function connectOrStartDaemon(paths: Paths, environment: NodeJS.ProcessEnv): Promise<net.Socket> {
  const running = await connectDaemon(paths).catch(() => undefined);
  if (running) return running;
  refuseSharedHome(paths);
  const deadline = performance.now() + START_DEADLINE_MS;
  let startAtMs = 0;
  for (;;) {
    // One that is about to end may have held the lock when ours came.
    if (performance.now() >= startAtMs) {
      startDaemonDetached(environment);
      startAtMs = performance.now() + START_AGAIN_MS;
    }
    try {
      return await connectDaemon(paths);
    } catch (error) {
      if (performance.now() > deadline) {
        throw new CcmError("daemon_unavailable", `the ccm daemon did not start within ${START_DEADLINE_MS / 1000} s`, {
          hint: `see ${paths.logFile}`,
          cause: toCcmError(error),
        });
      }
      await delay(RETRY_MS);
    }
  }
}

/** As {@link connectOrStartDaemon}, for a caller that only needs it to run. */
export async function ensureDaemon(paths: Paths, environment: NodeJS.ProcessEnv): Promise<void> {
  (await connectOrStartDaemon(paths, environment)).destroy();
}
