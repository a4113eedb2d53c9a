import { spawnSync } from "node:child_process";
import fs from "node:fs";

export interface ListedProcess {
  readonly pid: number;
  readonly command: string;
}

const PROC = "/proc";

/** The living children of a process, without zombies and without the helper that lists them. */
export function childrenOf(parentPid: number): ListedProcess[] {
  return fs.existsSync(`${PROC}/self/stat`) ? childrenByProc(parentPid) : childrenByPs(parentPid);
}

/** Every living process whose environment was given `entry` (`NAME=value`) when it started. Linux only; elsewhere none. */
export function processesMarked(entry: string): ListedProcess[] {
  if (!fs.existsSync(`${PROC}/self/environ`)) return [];
  return processIds()
    .filter((pid) => readProc(pid, "environ").split("\0").includes(entry))
    .map(listed);
}

function childrenByProc(parentPid: number): ListedProcess[] {
  return processIds()
    .filter((pid) => {
      // The command's name is in parentheses and may hold spaces and parentheses itself: count from the last one.
      const [state, parent] = readProc(pid, "stat")
        .replace(/^.*\) /s, "")
        .split(" ");
      return Number(parent) === parentPid && state !== "Z";
    })
    .map(listed);
}

function childrenByPs(parentPid: number): ListedProcess[] {
  const { stdout, pid: helper } = spawnSync("ps", ["-axo", "pid=,ppid=,stat=,command="], { encoding: "utf8" });
  return stdout
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .filter(([, pid, parent, state]) => Number(parent) === parentPid && Number(pid) !== helper && !state?.startsWith("Z"))
    .map(([, pid, , , command]) => ({ pid: Number(pid), command: command ?? "" }));
}

function processIds(): number[] {
  return fs
    .readdirSync(PROC)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function listed(pid: number): ListedProcess {
  return { pid, command: readProc(pid, "cmdline").replaceAll("\0", " ").trim() };
}

/** Empty for a process that ended meanwhile or is not ours to look at. */
function readProc(pid: number, name: string): string {
  try {
    return fs.readFileSync(`${PROC}/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}
