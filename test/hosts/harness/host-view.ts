import fs from "node:fs";

export interface HostProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly uid: number;
  /** Its arguments, joined by spaces; in brackets the bare name of one that has none any more (a zombie). */
  readonly command: string;
  readonly zombie: boolean;
}

/** All processes of a host, as its own /proc tells. `root` is the host's root directory as seen from this machine. */
export function listProcesses(root: string): HostProcessEntry[] {
  return fs
    .readdirSync(`${root}/proc`)
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(root, Number(name)))
    .filter((entry) => entry !== undefined);
}

function readProcess(root: string, pid: number): HostProcessEntry | undefined {
  try {
    const status = fs.readFileSync(`${root}/proc/${pid}/status`, "utf8");
    const field = (name: string) => status.match(new RegExp(`^${name}:\\s*(\\S+)`, "m"))?.[1] ?? "";
    const command = fs.readFileSync(`${root}/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim();
    return {
      pid,
      parent: Number(field("PPid")),
      uid: Number(field("Uid")),
      command: command || `[${field("Name")}]`,
      zombie: field("State") === "Z",
    };
  } catch {
    return undefined;
  }
}
