import { type ChildProcess, spawn } from "node:child_process";

export interface CommandOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
  /** After this the whole process group is killed and the promise rejects. */
  readonly timeoutMs?: number;
}

export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  /** 128 + n for a command that ended by signal number n is a shell's affair; here it is undefined. */
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
}

/** Runs a command to its end. Rejects only when it cannot be started or does not end in time. */
export function runCommand(file: string, args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const { timeoutMs = 30_000 } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env: options.env, cwd: options.cwd, detached: true, stdio: "pipe" });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    const timer = setTimeout(() => {
      killGroup(child);
      reject(new Error(`${file} ${args.join(" ")} did not end within ${timeoutMs} ms\n${Buffer.concat([...stdout, ...stderr])}`));
    }, timeoutMs);
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      const text = (chunks: Buffer[]) => Buffer.concat(chunks).toString("utf8");
      resolve({ stdout: text(stdout), stderr: text(stderr), code: code ?? undefined, signal: signal ?? undefined });
    });
    // A command may end without reading its input; that is not this function's failure.
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
  });
}

/** As {@link runCommand} for a command that must succeed; returns its stdout. */
export async function runChecked(file: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  const result = await runCommand(file, args, options);
  if (result.code === 0) return result.stdout;
  throw new Error(`${file} ${args.join(" ")} ended with ${result.code ?? result.signal}: ${result.stderr || result.stdout}`);
}

/** Kills a child that was started detached, with every process that stayed in its group. */
export function killGroup(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}
