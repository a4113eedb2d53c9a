import { accessSync, constants } from "node:fs";
import path from "node:path";

/** Where a tool lies on this machine, also in the directories for administration that a PATH may leave out; undefined if nowhere. */
export function findTool(name: string): string | undefined {
  const directories = [...(process.env["PATH"] ?? "").split(path.delimiter), "/usr/sbin", "/sbin", "/usr/bin", "/bin"];
  return directories.map((directory) => path.join(directory, name)).find(isExecutable);
}

/** As {@link findTool}; throws where there is none. */
export function requireTool(name: string): string {
  const file = findTool(name);
  if (file === undefined) throw new Error(`${name} is not installed here`);
  return file;
}

const HOST_TOOLS = ["unshare", "nsenter", "ip", "mount", "bash", "ssh", "sshd", "ssh-keygen"] as const;

/** Why test hosts cannot be made here, or false where they can: what `node:test` takes as `skip`. */
export function whyNoHosts(): string | false {
  if (process.platform !== "linux") return "test hosts need Linux";
  if (process.getuid?.() !== 0) return "test hosts need root";
  const missing = HOST_TOOLS.filter((tool) => findTool(tool) === undefined);
  return missing.length > 0 && `test hosts need ${missing.join(", ")}`;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
