import { execFileSync } from "node:child_process";
import fs from "node:fs";

/** What `/proc/<pid>/stat` says of a process that runs; a zombie has ended, whoever has yet to reap it. */
interface ProcessStat {
  readonly startTicks: string;
}

/**
 * The start of a process as Claude Code writes it into `procStart`, or undefined if no such process runs.
 * Linux: field 22 of `/proc/<pid>/stat`. macOS: `ps -o lstart=` in the C locale and in UTC, compared as a plain string.
 * On macOS this starts a process (about 5 ms): ask once for what cannot change, as one's own.
 */
export function readProcStart(pid: number): string | undefined {
  if (!isPid(pid)) return undefined;
  return process.platform === "linux" ? readProcessStat(pid)?.startTicks : readStartFromPs(pid);
}

/** What `ps` has told, so that a poll over many sessions does not start a process for each of them every second. */
const confirmedStarts = new Map<number, { readonly procStart: string; readonly untilMs: number }>();
const CONFIRMED_FOR_MS = 60_000;

/**
 * Whether the process that runs under this id is the one that started then. Asks the system each time on Linux; on macOS a
 * confirmed start is believed for a minute as long as a process of that id runs.
 */
export function hasProcStart(pid: number, procStart: string): boolean {
  if (process.platform === "linux") return readProcStart(pid) === procStart;
  const confirmed = confirmedStarts.get(pid);
  if (confirmed?.procStart === procStart && performance.now() < confirmed.untilMs && isAlive(pid)) return true;
  if (readProcStart(pid) !== procStart) {
    confirmedStarts.delete(pid);
    return false;
  }
  confirmedStarts.set(pid, { procStart, untilMs: performance.now() + CONFIRMED_FOR_MS });
  return true;
}

/** Whether a process of that id runs, whoever owns it. */
export function isAlive(pid: number): boolean {
  if (!isPid(pid)) return false;
  if (process.platform === "linux") return readProcessStat(pid) !== undefined;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function isPid(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 0;
}

function readProcessStat(pid: number): ProcessStat | undefined {
  let text: string;
  try {
    // In UTF-8 this is one call into the runtime; in another encoding it is five.
    text = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  return parseProcessStat(text);
}

/** The second field is the program's name in parentheses; it may hold spaces and parentheses, so the last one ends it. */
export function parseProcessStat(text: string): ProcessStat | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  const startTicks = fields[19];
  if (startTicks === undefined || state === "Z" || state === "X") return undefined;
  return { startTicks };
}

function readStartFromPs(pid: number): string | undefined {
  try {
    const environment = { ...process.env, LC_ALL: "C", TZ: "UTC" };
    const output = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env: environment,
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 2_000,
    });
    return output.trim() || undefined;
  } catch {
    return undefined;
  }
}

let ownPidDomain: string | undefined;

/**
 * Where process ids mean what they mean here, as Claude Code writes it into `pidDomain`. Without a machine id (containers) the
 * middle part is empty, as Claude Code leaves it then: sessions of this pid namespace still find each other, but two
 * containers that share a config directory are told apart by the namespace alone.
 */
export function currentPidDomain(): string {
  ownPidDomain ??= process.platform === "linux" ? `linux:${readMachineId()}:${fs.readlinkSync("/proc/self/ns/pid")}` : process.platform;
  return ownPidDomain;
}

/** Whether a pid of one domain means the same process in the other; an absent machine id contradicts none. */
export function isSamePidDomain(left: string, right: string): boolean {
  if (left === right) return true;
  const [leftSystem, leftMachine, ...leftRest] = left.split(":");
  const [rightSystem, rightMachine, ...rightRest] = right.split(":");
  return leftSystem === rightSystem && (leftMachine === "" || rightMachine === "") && leftRest.join(":") === rightRest.join(":");
}

/** Empty where the system has none. */
export function readMachineId(): string {
  try {
    return fs.readFileSync("/etc/machine-id", "utf8").trim();
  } catch {
    return "";
  }
}
