import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { endingReadable } from "../ending-readable.ts";
import type { RemoteExit, RemoteProcess } from "../transport.ts";

/** ssh's own exit status for a failure of its own; a remote command may end with it as well. */
const FAILED = 255;

/** A command that ssh runs through the master, behind our interface. */
export function remoteProcess(child: ChildProcessWithoutNullStreams, isConnected: () => Promise<boolean>): RemoteProcess {
  const gone = new AbortController();
  const exit = new Promise<RemoteExit>((resolve) => {
    const unknown = { code: undefined, signal: undefined };
    gone.signal.addEventListener("abort", () => resolve(unknown));
    child.once("error", () => gone.abort());
    child.once("exit", (code) => {
      if (code === null) resolve(unknown);
      else if (code !== FAILED) resolve({ code, signal: undefined });
      else void isConnected().then((connected) => resolve(connected ? { code, signal: undefined } : unknown));
    });
  });
  // Whoever writes learns of it by the callback, by `destroyed` or by an own listener; without one it must not end the process.
  child.stdin.on("error", () => {});
  const stdout = endingReadable(child.stdout, gone.signal);
  const stderr = endingReadable(child.stderr, gone.signal);
  const close = (): void => {
    gone.abort();
    child.stdin.destroy();
    child.kill("SIGTERM");
  };
  return { stdin: child.stdin, stdout, stderr, exit, close };
}
