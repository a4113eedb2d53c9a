import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { systemClock } from "../../core/clock.ts";
import { CcmError } from "../../core/errors.ts";
import { LineReader } from "../../core/line-reader.ts";
import { selfCommand } from "../../core/self-command.ts";
import { beforeDeadline } from "../../ssh/before-deadline.ts";
import type { DemoMachine } from "./demo-machine.ts";

const DEADLINE_MS = 60_000;
const MAX_LINE_BYTES = 64 * 1024;

export interface CcmRun {
  /** Undefined where a signal ended it. */
  readonly exitCode: number | undefined;
  /** All lines of its stdout and stderr. */
  readonly lines: readonly string[];
}

export interface RunOptions {
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

/** Runs a command of this program on a machine to its end, as a person there would. Rejects with `timeout` after 60 s; it is ended then. */
export async function runCcm(machine: DemoMachine, words: readonly string[], { signal, onLine }: RunOptions): Promise<CcmRun> {
  const { file, args } = selfCommand(words);
  const { home: cwd, environment: env } = machine;
  const child = spawn(file, [...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const lines: string[] = [];
  const keep = (line: string): void => {
    lines.push(line);
    onLine(line);
  };
  readLines(child.stdout, keep);
  readLines(child.stderr, keep);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  const onTimeout = (): CcmError => new CcmError("timeout", `\`ccm ${words.join(" ")}\` did not end within ${DEADLINE_MS / 1000} s`);
  try {
    const code = await beforeDeadline(ended, { ms: DEADLINE_MS, clock: systemClock, signal, onTimeout });
    return { exitCode: code ?? undefined, lines };
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

function readLines(stream: Readable, onLine: (line: string) => void): void {
  const reader = new LineReader({ maxBytes: MAX_LINE_BYTES, onLine, onOverflow: () => {} });
  stream.on("data", (chunk: Buffer) => reader.push(chunk)).on("end", () => reader.end());
}
