import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { onUncleanExit } from "./exit-cleanup.ts";
import { requireTool } from "./prerequisites.ts";
import { waitFor, withDeadline } from "./wait-for.ts";

export interface NamespaceProcessOptions {
  /** The namespaces it gets of its own, as options of unshare(1); a pid namespace is always among them. */
  readonly namespaces: readonly string[];
  readonly command: readonly [string, ...string[]];
  readonly env?: NodeJS.ProcessEnv;
  /** Its output that says that it has started. */
  readonly readyText: string;
}

/**
 * A process that keeps namespaces alive, and which others enter by its pid: nothing of it has a name on this machine, so runs
 * beside each other cannot collide. It must leave when its standard input ends; `stop` sees to it that it has left.
 */
export class NamespaceProcess {
  /** As this machine counts. */
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #forget: () => void;

  private constructor(child: ChildProcess, pid: number) {
    this.#child = child;
    this.pid = pid;
    this.#forget = onUncleanExit(() => this.#kill());
  }

  /** Rejects, with what the process said, when it ends or is silent for 10 s instead of getting ready. */
  static async start(options: NamespaceProcessOptions): Promise<NamespaceProcess> {
    const child = spawn(requireTool("unshare"), ["--pid", "--fork", "--kill-child", ...options.namespaces, "--", ...options.command], {
      env: options.env,
      detached: true,
      stdio: "pipe",
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
    child.stdin.on("error", () => {});
    try {
      return new NamespaceProcess(child, await readyPid(child, options.readyText, () => said));
    } catch (error) {
      child.kill("SIGKILL");
      throw new Error(`no namespaces: ${said.trim() || error}`, { cause: error });
    }
  }

  /** Settles when the process, and with it everything in its pid namespace, is gone. Safe to call again. */
  async stop(): Promise<void> {
    this.#forget();
    if (this.#hasEnded()) return;
    const ended = once(this.#child, "exit");
    this.#child.stdin?.end();
    try {
      await withDeadline(ended, `process ${this.pid} to leave`, 3_000);
    } catch {
      this.#kill();
      await withDeadline(ended, `process ${this.pid} to be killed`, 10_000);
    }
  }

  #kill(): void {
    if (this.#hasEnded()) return;
    try {
      process.kill(this.pid, "SIGKILL");
    } catch {
      // It has just left.
    }
  }

  #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}

/** Waits for the text, then gives the pid of the forked child, which is pid 1 of the new namespace. */
async function readyPid(child: ChildProcess, readyText: string, said: () => string): Promise<number> {
  await waitFor(() => said().includes(readyText) || child.exitCode !== null, { what: `"${readyText}"` });
  const pid = childrenOf(child.pid)[0];
  if (pid === undefined) throw new Error(`it ended with ${child.exitCode}`);
  return pid;
}

/** The pids of a process's children, as this machine counts; none if it has just ended. */
export function childrenOf(pid: number | undefined): number[] {
  try {
    return fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
