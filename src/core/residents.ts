import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const LOOK_AGAIN_MS = 20;
/** A daemon ends its mirrors first. */
const LEAVE_MS = 3_000;
const PS_TIMEOUT_MS = 5_000;

/** The processes that live in a throwaway directory: those whose environment names something in it. This one never counts. */
export function processesIn(directory: string): number[] {
  const found = fs.existsSync("/proc/self/environ") ? fromProc(directory) : fromPs(directory);
  return found.filter((pid) => pid !== process.pid);
}

/** Ends whatever still lives in the directory, first by request, and removes it. */
export async function clearAway(directory: string): Promise<void> {
  const asked = new Set<number>();
  const deadlineMs = performance.now() + LEAVE_MS;
  for (let pids = processesIn(directory); pids.length > 0 && performance.now() < deadlineMs; pids = processesIn(directory)) {
    for (const pid of pids.filter((pid) => !asked.has(pid))) end(pid, "SIGTERM");
    for (const pid of pids) asked.add(pid);
    await delay(LOOK_AGAIN_MS);
  }
  clearAwayNow(directory);
}

/** As {@link clearAway}, without asking and without waiting: for the end of this process. */
export function clearAwayNow(directory: string): void {
  if (!fs.existsSync(directory)) return;
  for (const pid of processesIn(directory)) end(pid, "SIGKILL");
  fs.rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: LOOK_AGAIN_MS });
}

function end(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just left.
  }
}

function fromProc(directory: string): number[] {
  const pids = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => environmentOf(pid).includes(`=${directory}/`)).map(Number);
}

/** Empty for a process of somebody else, and for one that has just ended. */
function environmentOf(pid: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}

function fromPs(directory: string): number[] {
  const { stdout } = spawnSync("/bin/ps", ["-axwwE", "-o", "pid=,command="], { encoding: "utf8", timeout: PS_TIMEOUT_MS });
  const lines = (stdout ?? "").split("\n").filter((line) => line.includes(`=${directory}/`));
  return lines.map((line) => Number.parseInt(line, 10)).filter(Number.isInteger);
}
