import syncFs from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { CcmError } from "../../core/errors.ts";
import { ensurePrivateDirectory } from "../../core/private-file.ts";
import { randomHex } from "../../core/random.ts";

/** What Claude Code takes: a larger file is not sent, and more files of one message are dropped. */
export const MAX_FILE_BYTES = 30 * 1024 * 1024;
export const MAX_FILES_PER_MESSAGE = 16;

const SPOOL = "file-transfers";
const MAX_NAME_CHARACTERS = 200;
const MAX_EXTENSION_CHARACTERS = 16;
const KEPT_MS = 24 * 60 * 60 * 1000;
/** Every piece that is written makes it younger. */
const HALF_WRITTEN_KEPT_MS = 10 * 60 * 1000;
const HALF_WRITTEN = ".incoming-";
/** One cleaning looks at no more. */
const MAX_CLEANED = 2_000;

/** Where files wait between the session that sends them and the one that takes them. */
export function spoolDirectory(claudeConfig: string): string {
  return path.join(claudeConfig, SPOOL);
}

/** Throws `state_unusable`, also where it is a symlink or someone else's. */
export function ensureSpool(claudeConfig: string): string {
  const spool = spoolDirectory(claudeConfig);
  ensurePrivateDirectory(spool);
  const stat = syncFs.lstatSync(spool);
  if (stat.isDirectory() && stat.uid === process.geteuid?.()) return spool;
  throw new CcmError("state_unusable", `${spool} is not a directory of this user`, { hint: "remove what is there" });
}

/** A name as Claude Code gives files of others: ASCII, no path, at most 200 characters, its extension kept. */
export function safeFileName(name: string): string {
  const safe = path.basename(name).replace(/[^a-zA-Z0-9._-]/g, "_") || "attachment";
  const dot = safe.lastIndexOf(".");
  const extension = dot > 0 && safe.length - dot <= MAX_EXTENSION_CHARACTERS ? safe.slice(dot) : "";
  return safe.slice(0, safe.length - extension.length).slice(0, MAX_NAME_CHARACTERS - extension.length) + extension;
}

/** `<sha8>-<random8>-<name>`, as files are called in the spool and among the uploads. */
export function storedName(sha256: string, name: string): string {
  return `${sha256.slice(0, 8)}-${randomHex(4)}-${safeFileName(name)}`;
}

/** A name for what is not whole yet; no reader takes it for a file of anyone. */
export function halfWrittenName(): string {
  return `${HALF_WRITTEN}${randomHex(8)}`;
}

/**
 * Removes what nobody has taken within a day, and what a process that died has left half-written. Everyone who puts something in may do
 * it. Never rejects.
 */
export async function cleanSpool(claudeConfig: string, nowMs = Date.now()): Promise<void> {
  const spool = spoolDirectory(claudeConfig);
  const names = await fs.readdir(spool).catch(() => []);
  for (const name of names.slice(0, MAX_CLEANED)) await removeIfOld(path.join(spool, name), nowMs).catch(() => undefined);
}

async function removeIfOld(file: string, nowMs: number): Promise<void> {
  const stat = await fs.lstat(file);
  const keptMs = path.basename(file).startsWith(HALF_WRITTEN) ? HALF_WRITTEN_KEPT_MS : KEPT_MS;
  if (stat.isFile() && nowMs - stat.mtimeMs > keptMs) await fs.unlink(file);
}
