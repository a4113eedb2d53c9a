import { type ExecFileOptions, execFile } from "node:child_process";

export interface ProgramOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program to its end. Rejects with the error of `execFile`, `stdout` and `stderr` of the program beside it. `promisify` would know
 * `execFile` by a mark that it does not have in the executable, where it is loaded late, and would give the stdout alone.
 */
export function runProgram(file: string, args: readonly string[], options: ExecFileOptions): Promise<ProgramOutput> {
  const { promise, resolve, reject } = Promise.withResolvers<ProgramOutput>();
  execFile(file, [...args], { ...options, encoding: "utf8" }, (error, stdout, stderr) => {
    if (error) reject(Object.assign(error, { stdout, stderr }));
    else resolve({ stdout, stderr });
  });
  return promise;
}
