import fs from "node:fs";
import path from "node:path";

/** Sockets and the files by which sessions find each other: what must go when its process goes. */
export function tracesIn(directory: string): string[] {
  return fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isSocket() || path.basename(entry.parentPath) === "sessions")
    .map((entry) => path.join(entry.parentPath, entry.name));
}
