import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import type { TestMachine } from "../../support/test-machine.ts";

const MAIN = path.join(import.meta.dirname, "../../../src/main.ts");

/** Runs `ccm api` to its end. */
export async function run({ environment }: TestMachine, ...words: string[]) {
  const child = spawn(process.execPath, [MAIN, "api", ...words], { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { stdout, stderr, code };
}

export async function start(context: TestContext, { environment }: TestMachine, ...words: string[]) {
  const child = spawn(process.execPath, [MAIN, "api", "--json", ...words], { env: environment, stdio: ["ignore", "pipe", "ignore"] });
  context.after(() => end(child, "SIGKILL"));
  const [line] = await once(createInterface(child.stdout), "line");
  return { child, told: JSON.parse(line) };
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<{ code: number | null; tookMs: number }> {
  const startMs = performance.now();
  if (child.exitCode !== null || child.signalCode !== null) return { code: child.exitCode, tookMs: 0 };
  const closed = once(child, "close");
  child.kill(signal);
  const [code] = await closed;
  return { code, tookMs: performance.now() - startMs };
}

/** What is there of a peer: records, keys and inboxes. */
export function traces({ paths, environment }: TestMachine): string[] {
  const directories = [path.join(paths.claudeConfig, "sessions"), path.join(environment["XDG_RUNTIME_DIR"] ?? "", "cc-socks")];
  return directories.flatMap((directory) => fs.readdirSync(directory));
}
