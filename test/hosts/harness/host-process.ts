import type { ChildProcessWithoutNullStreams } from "node:child_process";
import fs from "node:fs";
import type { Readable, Writable } from "node:stream";
import { childrenOf } from "./namespace-process.ts";
import { waitFor, withDeadline } from "./wait-for.ts";

export interface ProcessEnd {
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
}

/** A process that a test started on a host and which runs on. It ends with its host at the latest. */
export class HostProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exit: Promise<ProcessEnd>;
  /** nsenter, which waits for the process proper and ends as that does. */
  readonly #entered: ChildProcessWithoutNullStreams;
  #stdoutText = "";
  #stderrText = "";

  constructor(entered: ChildProcessWithoutNullStreams) {
    this.#entered = entered;
    ({ stdin: this.stdin, stdout: this.stdout, stderr: this.stderr } = entered);
    this.stdin.on("error", () => {});
    this.stdout.on("data", (chunk) => (this.#stdoutText += chunk));
    this.stderr.on("data", (chunk) => (this.#stderrText += chunk));
    this.exit = new Promise((resolve, reject) => {
      entered.once("error", reject);
      entered.once("close", (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }));
    });
    // Whoever does not wait for the end does not want to hear of it.
    this.exit.catch(() => {});
  }

  /** What it has written so far. */
  get stdoutText(): string {
    return this.#stdoutText;
  }

  get stderrText(): string {
    return this.#stderrText;
  }

  /** Its pid as its host counts. */
  async pid(): Promise<number> {
    const outer = await this.#outerPid();
    const line = fs.readFileSync(`/proc/${outer}/status`, "utf8").match(/^NSpid:\s.*?(\d+)$/m);
    return Number(line?.[1]);
  }

  async kill(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (this.#hasEnded()) return;
    process.kill(await this.#outerPid(), signal);
    // nsenter stops when the process that it waits for is stopped, and would not see its end.
    if (signal !== "SIGSTOP") this.#entered.kill("SIGCONT");
  }

  /** Waits until its stdout matches, and returns the match. */
  waitOutput(pattern: RegExp, deadlineMs = 10_000): Promise<RegExpMatchArray> {
    return waitFor(() => this.#stdoutText.match(pattern), {
      what: `${pattern} in the output`,
      deadlineMs,
      otherwise: () => `${this.#stdoutText}${this.#stderrText}`,
    });
  }

  /** Ends its stdin, then TERM, then KILL. */
  async close(): Promise<ProcessEnd> {
    this.stdin.end();
    for (const signal of [undefined, "SIGTERM", "SIGKILL"] as const) {
      if (signal !== undefined) await this.kill(signal).catch(() => {});
      try {
        return await withDeadline(this.exit, "the process to leave", 2_000);
      } catch (error) {
        if (signal === "SIGKILL") throw error;
      }
    }
    return this.exit;
  }

  async #outerPid(): Promise<number> {
    return waitFor(() => childrenOf(this.#entered.pid)[0], { what: "the process to start", otherwise: () => this.#stderrText });
  }

  #hasEnded(): boolean {
    return this.#entered.exitCode !== null || this.#entered.signalCode !== null;
  }
}
