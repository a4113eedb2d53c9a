type Cleanup = () => void;

const cleanups = new Set<Cleanup>();
let installed = false;

/**
 * Has `cleanup` (synchronous) called when this process ends before the returned function was called: at exit, after an uncaught
 * error, on SIGINT, SIGTERM or SIGHUP. Nothing helps against SIGKILL; then hosts leave because their standard input ends.
 */
export function onUncleanExit(cleanup: Cleanup): () => void {
  install();
  cleanups.add(cleanup);
  return () => cleanups.delete(cleanup);
}

function install(): void {
  if (installed) return;
  installed = true;
  process.on("exit", runAll);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      runAll();
      process.kill(process.pid, signal);
    });
  }
}

function runAll(): void {
  for (const cleanup of cleanups) {
    cleanups.delete(cleanup);
    try {
      cleanup();
    } catch (error) {
      console.error(error);
    }
  }
}
