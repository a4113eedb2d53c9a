import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { plainLine } from "../../core/plain-text.ts";
import { expandHostTokens } from "../expand-tokens.ts";
import type { SshTarget } from "../ssh-target.ts";
import { JoinedStream } from "./joined-stream.ts";

const KEPT_STDERR_BYTES = 2 * 1024;

/** The byte stream that a ProxyCommand of the configuration opens: run as OpenSSH runs it, by the person's own shell. */
export function openProxyCommand(target: SshTarget, command: string, env: NodeJS.ProcessEnv): JoinedStream {
  const line = `exec ${expandHostTokens(command, target)}`;
  const child = spawn(env.SHELL || "/bin/sh", ["-c", line], { env, detached: true, stdio: "pipe" });
  let stderr = Buffer.alloc(0);
  child.stderr.on("data", (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(-KEPT_STDERR_BYTES);
  });
  const ended = once(child, "exit").then(
    ([code, signal]) => `ended with ${signal ?? code}`,
    (error: Error) => `does not start: ${error.message}`,
  );
  const explainEnd = async (): Promise<Error> => {
    const [how] = await Promise.all([ended, stderrEnd(child)]);
    const said = plainLine(stderr.toString("utf8"), 160);
    return new Error(`ProxyCommand ${how}${said === "" ? "" : `: ${said}`}`);
  };
  return new JoinedStream({ readable: child.stdout, writable: child.stdin, release: () => release(child), explainEnd });
}

async function stderrEnd({ stderr }: ChildProcess): Promise<void> {
  if (stderr && !stderr.readableEnded) await once(stderr, "close", { signal: AbortSignal.timeout(200) }).catch(() => {});
}

/** The whole group: a shell may have stayed in between. */
function release(child: ChildProcess): void {
  child.stdin?.destroy();
  child.stdout?.destroy();
  child.stderr?.destroy();
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGTERM");
  } catch {
    // It has just ended by itself.
  }
}
