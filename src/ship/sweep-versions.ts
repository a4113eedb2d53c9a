import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { isExecutableName } from "./remote-path.ts";

/** Besides the one that has just arrived: an older machine that dials us, or a step back, then costs no upload. */
const KEPT_UNUSED = 2;
/** Whoever has just sent a version has not started it yet. */
const YOUNG_MS = 3600 * 1000;
const PS_TIMEOUT_MS = 5_000;

/**
 * Removes executables beside `current` that no process runs, but for those used last: starting one sets its time of access.
 * Never throws: what cannot be told or removed stays.
 */
export function sweepVersions(current: string, nowMs = Date.now()): void {
  try {
    const directory = path.dirname(current);
    const running = runningFiles();
    if (running === undefined) return;
    const unused = fs
      .readdirSync(directory)
      .filter((name) => isExecutableName(name) && name !== path.basename(current) && !running.has(path.join(directory, name)))
      .map((name) => ({ file: path.join(directory, name), usedMs: fs.statSync(path.join(directory, name)).atimeMs }))
      .sort((one, other) => other.usedMs - one.usedMs);
    for (const { file, usedMs } of unused.slice(KEPT_UNUSED)) if (nowMs - usedMs > YOUNG_MS) fs.rmSync(file);
  } catch {
    // Another sweep was quicker, or the file system will not have it: nothing depends on this.
  }
}

/** The files that processes run, or undefined where that cannot be found out. Those of other users do not count: the directory is ours. */
function runningFiles(): Set<string> | undefined {
  if (process.platform === "linux") return runningOnLinux();
  try {
    const text = execFileSync("ps", ["-A", "-o", "comm="], { encoding: "utf8", timeout: PS_TIMEOUT_MS });
    return new Set(text.split("\n").map((line) => line.trim()));
  } catch {
    return undefined;
  }
}

function runningOnLinux(): Set<string> | undefined {
  const pids = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  if (pids.length === 0) return undefined;
  return new Set(pids.flatMap((pid) => readLink(`/proc/${pid}/exe`) ?? []));
}

function readLink(file: string): string | undefined {
  try {
    return fs.readlinkSync(file);
  } catch {
    return undefined;
  }
}
