import fs from "node:fs";
import path from "node:path";
import { writePrivateFile } from "../core/private-file.ts";
import { sha256 } from "../core/sha256.ts";
import { isJsonObject } from "./session-record.ts";

/** What the owner of an inbox leaves for those of the same user who want to write to it. */
export interface PeerKey {
  /** Opens the inbox; 32 hexadecimal digits where Claude Code made it. */
  readonly peerToken: string;
  readonly procStart?: string;
  readonly pidDomain?: string;
}

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants;
const MAX_KEY_BYTES = 4_096;

export function sessionsDirectory(claudeConfig: string): string {
  return path.join(claudeConfig, "sessions");
}

/** `socketPath` as the record gives it: Claude Code hashes the path that it bound, without resolving links in it. */
export function keyFileName(pid: number, socketPath: string): string {
  if (lastHash?.socketPath !== socketPath) lastHash = { socketPath, hash: sha256(socketPath) };
  return `${pid}.${lastHash.hash}.key`;
}

/** A mirror writes to the same session again and again. */
let lastHash: { readonly socketPath: string; readonly hash: string } | undefined;

export function keyFilePath(claudeConfig: string, pid: number, socketPath: string): string {
  return path.join(sessionsDirectory(claudeConfig), keyFileName(pid, socketPath));
}

/** Writes the key of an inbox, mode 0600. Throws `state_unusable`. */
export function writeKeyFile(claudeConfig: string, pid: number, socketPath: string, key: PeerKey): void {
  writePrivateFile(keyFilePath(claudeConfig, pid, socketPath), JSON.stringify(key));
}

/** The key of an inbox, or undefined where there is none that is a regular file of this user and well formed. */
export function readKeyFile(claudeConfig: string, pid: number, socketPath: string): PeerKey | undefined {
  const text = readOwnFile(keyFilePath(claudeConfig, pid, socketPath));
  if (text === undefined) return undefined;
  let key: unknown;
  try {
    key = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(key) || typeof key["peerToken"] !== "string" || key["peerToken"] === "") return undefined;
  const procStart = key["procStart"];
  const pidDomain = key["pidDomain"];
  return {
    peerToken: key["peerToken"],
    ...(typeof procStart === "string" && { procStart }),
    ...(typeof pidDomain === "string" && { pidDomain }),
  };
}

/** The token that opens a session's inbox, or undefined where no key vouches for it. */
export function readPeerToken(claudeConfig: string, pid: number, socketPath: string): string | undefined {
  return readKeyFile(claudeConfig, pid, socketPath)?.peerToken;
}

function readOwnFile(file: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stat = fs.fstatSync(descriptor);
    if (!stat.isFile() || stat.uid !== process.geteuid?.() || stat.size > MAX_KEY_BYTES) return undefined;
    return fs.readFileSync(descriptor, "utf8");
  } catch {
    return undefined;
  } finally {
    fs.closeSync(descriptor);
  }
}
