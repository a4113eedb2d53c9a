import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import path from "node:path";

/** The slowest, the injection, takes some seconds. */
const DEADLINE_MS = 120_000;
/** An error in a bundle quotes its line, which is the bundle. */
const MAX_LINE_CHARACTERS = 300;

/** Runs a tool quietly. Throws with what it printed when it fails, cannot be started or takes longer than two minutes. */
export function runTool(file: string, args: readonly string[], options: Pick<SpawnSyncOptions, "env" | "cwd"> = {}): void {
  const { error, status, signal, stdout, stderr } = spawnSync(file, args, { ...options, encoding: "utf8", timeout: DEADLINE_MS });
  if (status === 0) return;
  const ending = error?.message ?? (signal ? `ended by ${signal}` : `exit code ${status}`);
  const output = `${stdout ?? ""}${stderr ?? ""}`.split("\n").map((line) => line.slice(0, MAX_LINE_CHARACTERS));
  throw new Error([`${path.basename(file)} ${args.join(" ")}: ${ending}`, ...output].join("\n").trimEnd());
}
