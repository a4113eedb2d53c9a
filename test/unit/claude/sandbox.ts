import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { readProcStart } from "../../../src/claude/process-identity.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** A home of its own for one test. */
export interface Sandbox {
  readonly root: string;
  readonly claudeConfig: string;
  readonly sessions: string;
  /** Where inboxes go. */
  readonly sockets: string;
  readonly env: NodeJS.ProcessEnv;
}

export function openSandbox(t: TestContext): Sandbox {
  const root = temporaryDirectory(t);
  const claudeConfig = path.join(root, "claude");
  const sessions = path.join(claudeConfig, "sessions");
  const run = path.join(root, "run");
  fs.mkdirSync(sessions, { recursive: true, mode: 0o700 });
  fs.mkdirSync(run, { mode: 0o700 });
  const env = { PATH: process.env["PATH"], HOME: root, XDG_RUNTIME_DIR: run, CLAUDE_CONFIG_DIR: claudeConfig };
  return { root, claudeConfig, sessions, sockets: path.join(run, "cc-socks"), env };
}

export interface LivingProcess {
  readonly pid: number;
  readonly procStart: string;
  /** Sends SIGKILL; settles when the process is reaped. */
  kill(): Promise<void>;
}

/** A process that does nothing until the end of the test. */
export function startProcess(t: TestContext, file = "sleep", args: readonly string[] = ["600"]): LivingProcess {
  const child = spawn(file, [...args], { stdio: "ignore" });
  t.after(() => killAndReap(child));
  const { pid } = child;
  const procStart = pid === undefined ? undefined : readProcStart(pid);
  if (pid === undefined || procStart === undefined) throw new Error(`${file} did not start`);
  return { pid, procStart, kill: () => killAndReap(child) };
}

async function killAndReap(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
