import v8 from "node:v8";
import { toCcmError } from "../core/errors.ts";
import { openLog } from "../core/log.ts";
import { resolvePaths } from "../core/paths.ts";
import { ensurePrivateDirectory } from "../core/private-file.ts";
import { Daemon } from "./daemon.ts";
import { takeDaemonLock } from "./daemon-lock.ts";

/**
 * Whether nothing is to be held for this daemon. A service manager sends TERM also where it starts the next one at once, and a machine that
 * goes down mostly comes back: the other machines wait for it as for a lost one. Who interrupts it in a terminal means it.
 */
const STOP_SIGNALS = { SIGTERM: false, SIGHUP: false, SIGINT: true } as const;

/**
 * `ccm daemon`: takes the lock, then listens to signals, then builds, so that no ending finds it half made. It ends by a signal, by
 * `ccm down`, or when it has nothing to do.
 */
export async function runDaemon(): Promise<never> {
  // What only passes through, files above all, would else make V8 keep 30 MB more for what is young. Read each time that this would grow.
  v8.setFlagsFromString("--semi-space-growth-factor=1");
  const paths = resolvePaths();
  const ended = Promise.withResolvers<{ reason: string; final: boolean }>();
  try {
    ensurePrivateDirectory(paths.state);
    const lock = takeDaemonLock(paths.lockFile);
    for (const [signal, final] of Object.entries(STOP_SIGNALS)) process.on(signal, () => ended.resolve({ reason: signal, final }));
    process.on("uncaughtException", (error) => openLog(paths.logFile).warn(`a bug, survived: ${error.stack ?? String(error)}`));
    process.on("unhandledRejection", (error) =>
      openLog(paths.logFile).warn(`a bug, survived: ${error instanceof Error ? error.stack : String(error)}`),
    );
    const daemon = await Daemon.start({ paths, environment: process.env, onStop: (reason, final) => ended.resolve({ reason, final }) });
    const { reason, final } = await ended.promise;
    await daemon.stop(reason, final);
    await daemon.drained();
    lock.release();
    process.exit(0);
  } catch (error) {
    const { message, exitCode } = toCcmError(error);
    process.stderr.write(`ccm daemon: ${message}\n`);
    openLog(paths.logFile).warn(message);
    process.exit(exitCode);
  }
}
