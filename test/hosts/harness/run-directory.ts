import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

const PARENT = "/var/tmp";
const PREFIX = "ccm-hosts-";
const OWNER_FILE = "owner";

/**
 * The directory of one network, which all its hosts see at the same path: outside /tmp, /run and /home, which each host has to
 * itself. `dispose` removes it and everything in it. Those of test processes that died without a word are swept first.
 */
export function createRunDirectory(): { directory: string; dispose: () => void } {
  sweepAbandoned();
  const directory = path.join(PARENT, `${PREFIX}${randomBytes(4).toString("hex")}`);
  fs.mkdirSync(directory, { mode: 0o755 });
  fs.writeFileSync(path.join(directory, OWNER_FILE), `${process.pid} ${processStart(process.pid)}`);
  return { directory, dispose: () => fs.rmSync(directory, { recursive: true, force: true }) };
}

function sweepAbandoned(): void {
  for (const name of fs.readdirSync(PARENT)) {
    const directory = path.join(PARENT, name);
    if (name.startsWith(PREFIX) && isAbandoned(directory)) fs.rmSync(directory, { recursive: true, force: true });
  }
}

function isAbandoned(directory: string): boolean {
  try {
    const [pid, start] = fs.readFileSync(path.join(directory, OWNER_FILE), "utf8").split(" ");
    return processStart(Number(pid)) !== start;
  } catch {
    // Its owner is about to write the file.
    return false;
  }
}

/** Field 22 of /proc/PID/stat, so that a pid which was given to another process is not taken for its first owner. */
function processStart(pid: number): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

/** Gives `target` the content of `source`: a hard link where both are on one file system, else a copy. */
export function linkOrCopy(source: string, target: string): void {
  fs.mkdirSync(path.dirname(target), { recursive: true });
  try {
    fs.linkSync(fs.realpathSync(source), target);
  } catch {
    fs.copyFileSync(source, target);
  }
}
