import os from "node:os";
import { clearAway, clearAwayNow } from "./residents.ts";
import { makeThrowawayDirectory, type ThrowawayOptions } from "./throwaway-directory.ts";

const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** What came of the work; undefined if a person ended it, and then the exit code of this process says so. */
export type ThrowawayResult<Result> = { readonly result: Result } | undefined;

/**
 * Does work in a new directory. A signal to this process aborts the work's; whatever ends it, all processes that live in the directory
 * are ended then, and it is removed. Rejects as the work does, and with `state_unusable` where no such directory can be made.
 */
export async function inThrowawayDirectory<Result>(
  options: ThrowawayOptions,
  work: (directory: string, signal: AbortSignal) => Promise<Result>,
): Promise<ThrowawayResult<Result>> {
  const directory = makeThrowawayDirectory(options);
  const stop = new AbortController();
  const interrupt = (signal: NodeJS.Signals): void => {
    // The second time it is meant at once.
    if (stop.signal.aborted) process.exit(exitCodeOf(signal));
    process.exitCode = exitCodeOf(signal);
    stop.abort(signal);
  };
  const lastResort = (): void => clearAwayNow(directory);
  for (const signal of STOP_SIGNALS) process.on(signal, interrupt);
  process.on("exit", lastResort);
  try {
    return { result: await work(directory, stop.signal) };
  } catch (error) {
    if (stop.signal.aborted) return undefined;
    throw error;
  } finally {
    await clearAway(directory);
    for (const signal of STOP_SIGNALS) process.off(signal, interrupt);
    process.off("exit", lastResort);
  }
}

function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + os.constants.signals[signal];
}
