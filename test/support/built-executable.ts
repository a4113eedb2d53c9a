import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { temporaryDirectory } from "./temporary-directory.ts";

/** What `npm run build` made. */
export const executable = path.join(import.meta.dirname, "..", "..", "dist", "ccm");

/** For the `skip` of a test: the reason not to run it, or false. */
export const notBuilt = fs.existsSync(executable) ? false : 'dist/ccm is not there: "npm run build"';

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly argv0?: string;
  readonly input?: string;
}

/** Runs a program to its end, 20 s at most, with only this environment. */
export function runProgram(file: string, args: readonly string[], options: RunOptions = {}): Outcome {
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: "utf8", timeout: 20_000, env: {}, ...options });
  return { status, stdout, stderr };
}

/** A home of nobody, in which nothing is found: no node on PATH, no configuration. */
export function bareEnvironment(test: TestContext): NodeJS.ProcessEnv {
  return { HOME: temporaryDirectory(test), PATH: "" };
}
