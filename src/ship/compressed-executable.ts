import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { CcmError } from "../core/errors.ts";
import { ensurePrivateDirectory } from "../core/private-file.ts";
import type { OwnExecutable } from "./own-executable.ts";
import { executableName } from "./remote-path.ts";

/** By measurement: each level above saves little on the wire and costs more time than any local network takes to carry it. */
const GZIP_LEVEL = 4;

/** One at a time for each file: several hosts may need it at once. */
const inProgress = new Map<string, Promise<void>>();

/**
 * The executable as a gzip file under `<cache>/ship/`, made once for each build; whatever else lies there is of older builds and is
 * removed. Rejects with `executable_missing` or `state_unusable`.
 */
export async function compressedExecutable(executable: OwnExecutable, cacheDirectory: string): Promise<string> {
  const directory = path.join(cacheDirectory, "ship");
  const file = path.join(directory, `${executableName(executable)}-${executable.platform}.gz`);
  if (fs.existsSync(file)) return file;
  const work = inProgress.get(file) ?? compress(executable, file).finally(() => inProgress.delete(file));
  inProgress.set(file, work);
  await work;
  return file;
}

async function compress(executable: OwnExecutable, file: string): Promise<void> {
  const directory = path.dirname(file);
  ensurePrivateDirectory(directory);
  const temporary = `${file}.${randomBytes(4).toString("hex")}`;
  try {
    const source = fs.createReadStream(executable.file, { highWaterMark: 256 * 1024 });
    await pipeline(source, createGzip({ level: GZIP_LEVEL }), fs.createWriteStream(temporary, { flags: "wx", mode: 0o600 }));
    fs.renameSync(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw failure(executable, file, error);
  }
  removeOthers(directory, path.basename(file));
}

function failure(executable: OwnExecutable, file: string, cause: unknown): CcmError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (!fs.existsSync(executable.file)) return new CcmError("executable_missing", `the executable is gone: ${executable.file}`, { cause });
  return new CcmError("state_unusable", `cannot prepare ${file}: ${reason}`, { hint: "check the space left on that disk", cause });
}

/** A file that is being sent stays readable to whoever has it open; one that is being written is younger than a day. */
function removeOthers(directory: string, keep: string): void {
  for (const name of fs.readdirSync(directory)) {
    const file = path.join(directory, name);
    const isUnfinished = !name.endsWith(".gz");
    const ageMs = Date.now() - (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (name !== keep && (!isUnfinished || ageMs > 24 * 3600 * 1000)) fs.rmSync(file, { force: true });
  }
}
