import { execFileSync } from "node:child_process";
import fs from "node:fs";

/** Process trees are shallow; a longer walk means that something is wrong with what was read. */
const MAX_ANCESTORS = 64;

/** The parent of `pid`, its parent, and so on, up to but without process 1. */
export function readAncestors(pid: number = process.pid): number[] {
  const parentOf = process.platform === "linux" ? readParentFromProc : parentsFromPs();
  const ancestors: number[] = [];
  for (let parent = parentOf(pid); parent !== undefined && parent > 1 && ancestors.length < MAX_ANCESTORS; parent = parentOf(parent)) {
    ancestors.push(parent);
  }
  return ancestors;
}

function readParentFromProc(pid: number): number | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    // The program's name, in parentheses, may itself hold spaces and parentheses.
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    return Number.isSafeInteger(parent) ? parent : undefined;
  } catch {
    return undefined;
  }
}

/** macOS: all parents by one `ps`, about 10 ms, instead of one for each step. */
function parentsFromPs(): (pid: number) => number | undefined {
  const parents = new Map<number, number>();
  try {
    const output = execFileSync("ps", ["-A", "-o", "pid=,ppid="], {
      encoding: "utf8",
      timeout: 2_000,
      stdio: ["ignore", "pipe", "ignore"],
    });
    for (const line of output.split("\n")) {
      const [pid, parent] = line.trim().split(/\s+/).map(Number);
      if (pid !== undefined && parent !== undefined) parents.set(pid, parent);
    }
  } catch {
    // Without ps nobody is known to be our session, which is the safe answer.
  }
  return (pid) => parents.get(pid);
}
