import fs from "node:fs";
import path from "node:path";
import { isJsonObject } from "../claude/session-record.ts";
import { ensurePrivateDirectory, readFileIfPresent, writePrivateFile } from "../core/private-file.ts";

/** A session id comes from outside and becomes a file name. */
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;
const SUFFIX = ".json";

export function isSessionId(text: unknown): text is string {
  return typeof text === "string" && SESSION_ID.test(text);
}

/** The sessions that have a file in this directory; none where it does not exist or cannot be read. */
export function listSessionFiles(directory: string): string[] {
  try {
    const names = fs.readdirSync(directory).filter((name) => name.endsWith(SUFFIX));
    return names.map((name) => name.slice(0, -SUFFIX.length)).filter(isSessionId);
  } catch {
    return [];
  }
}

/** The JSON object in a session's file; undefined where there is none, or something else. Never throws. */
export function readSessionFile(directory: string, sessionId: string): Readonly<Record<string, unknown>> | undefined {
  if (!isSessionId(sessionId)) return undefined;
  try {
    const value: unknown = JSON.parse(readFileIfPresent(sessionFile(directory, sessionId)) ?? "null");
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces a session's file in one step, and makes the directory where needed. Throws `state_unusable`. */
export function writeSessionFile(directory: string, sessionId: string, content: object): void {
  const file = sessionFile(directory, sessionId);
  const text = `${JSON.stringify(content)}\n`;
  try {
    writePrivateFile(file, text);
  } catch {
    ensurePrivateDirectory(directory);
    writePrivateFile(file, text);
  }
}

export function removeSessionFile(directory: string, sessionId: string): void {
  fs.rmSync(sessionFile(directory, sessionId), { force: true });
}

export function sessionFile(directory: string, sessionId: string): string {
  return path.join(directory, `${sessionId}${SUFFIX}`);
}
