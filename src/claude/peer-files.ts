import fs from "node:fs";
import path from "node:path";
import { findSocket } from "./find-socket.ts";
import { keyFilePath, readKeyFile, sessionsDirectory } from "./key-file.ts";
import { parseSessionRecord } from "./session-record.ts";

/** One process's place in the registry. */
export interface PeerIdentity {
  readonly pid: number;
  readonly procStart: string;
  readonly socketPath: string;
}

export function recordFilePath(claudeConfig: string, pid: number): string {
  return path.join(sessionsDirectory(claudeConfig), `${pid}.json`);
}

/**
 * Removes the record, key and socket that a process of ours left. If the process id has gone to another since then, what bears
 * the other's process start stays, and so does the socket. Never throws; may be called again.
 */
export function removePeerFiles(claudeConfig: string, { pid, procStart, socketPath }: PeerIdentity): void {
  const recordFile = recordFilePath(claudeConfig, pid);
  const owner = recordOwner(recordFile);
  if (owner !== undefined && owner !== procStart) return;
  remove(recordFile);
  const keyOwner = readKeyFile(claudeConfig, pid, socketPath)?.procStart;
  if (keyOwner !== undefined && keyOwner !== procStart) return;
  remove(keyFilePath(claudeConfig, pid, socketPath));
  if (!findSocket(socketPath).fault) remove(socketPath);
}

function recordOwner(file: string): string | undefined {
  try {
    return parseSessionRecord(fs.readFileSync(file, "utf8")).record?.procStart;
  } catch {
    return undefined;
  }
}

function remove(file: string): void {
  try {
    fs.unlinkSync(file);
  } catch {
    // Gone already, or not ours to remove: there is nobody to tell at this point, and the next reader vets it anyway.
  }
}
