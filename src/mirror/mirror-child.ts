import { type ChildProcess, spawn } from "node:child_process";
import { readProcStart } from "../claude/process-identity.ts";
import type { Clock } from "../core/clock.ts";
import { LineReader } from "../core/line-reader.ts";
import { plainLine } from "../core/plain-text.ts";
import { detachedEnvironment, selfCommand } from "../core/self-command.ts";
import { type FromMirror, MAX_PIPE_LINE_BYTES, type ToMirror } from "./mirror-protocol.ts";

/** After the end of its stdin a mirror may still deliver for 4 s. */
const TERMINATE_AFTER_MS = 5_000;
const KILL_AFTER_MS = 1_000;
const MAX_STDERR_CHARACTERS = 2_000;

export interface MirrorChildOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly onMessage: (message: FromMirror) => void;
  readonly onProblem: (message: string) => void;
  /** Once, with how it ended: `with exit code 1: what it said`, `by SIGKILL`, `before it started: …`. */
  readonly onEnd: (how: string) => void;
}

/** A mirror's process and its pipes. */
export class MirrorChild {
  readonly #options: MirrorChildOptions;
  readonly #child: ChildProcess;
  /** Undefined if it could not be started. */
  readonly identity: { readonly pid: number; readonly procStart: string } | undefined;
  #stderr = "";
  #ended = false;
  #cancelGrade: () => void = () => {};

  constructor(options: MirrorChildOptions) {
    this.#options = options;
    const { file, args } = selfCommand(["mirror"]);
    this.#child = spawn(file, [...args], { cwd: "/", env: detachedEnvironment(options.env), stdio: "pipe" });
    const { pid } = this.#child;
    const procStart = pid === undefined ? undefined : readProcStart(pid);
    this.identity = pid === undefined || procStart === undefined ? undefined : { pid, procStart };
    this.#listen();
  }

  tell(message: ToMirror): void {
    if (this.#child.stdin?.writable) this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** End of stdin, then TERM, then KILL; `onEnd` follows. */
  close(): void {
    const { clock } = this.#options;
    this.tell({ op: "close" });
    this.#child.stdin?.end();
    this.#cancelGrade = clock.after(TERMINATE_AFTER_MS, () => {
      this.#child.kill("SIGTERM");
      this.#cancelGrade = clock.after(KILL_AFTER_MS, () => this.kill());
    });
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  #listen(): void {
    const { onProblem } = this.#options;
    const lines = new LineReader({
      maxBytes: MAX_PIPE_LINE_BYTES,
      onLine: (line) => this.#takeLine(line),
      onOverflow: (maxBytes) => onProblem(`a line of more than ${maxBytes} bytes`),
    });
    this.#child.stdout?.on("data", (chunk: Buffer) => lines.push(chunk));
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString("utf8")).slice(-MAX_STDERR_CHARACTERS);
    });
    // The end of the process follows, and says more.
    this.#child.stdin?.on("error", () => {});
    this.#child.on("error", (error) => {
      if (this.#child.pid === undefined) this.#end(`before it started: ${error.message}`);
    });
    this.#child.on("close", (code, signal) => this.#end(signal === null ? `with exit code ${code}` : `by ${signal}`));
  }

  #takeLine(line: string): void {
    try {
      this.#options.onMessage(JSON.parse(line) as FromMirror);
    } catch (error) {
      this.#options.onProblem(plainLine(error instanceof Error ? error.message : String(error)));
    }
  }

  #end(how: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#cancelGrade();
    const words = plainLine(this.#stderr);
    this.#options.onEnd(words === "" ? how : `${how}: ${words}`);
  }
}
