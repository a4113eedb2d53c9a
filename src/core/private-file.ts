import fs from "node:fs";
import path from "node:path";
import { CcmError, systemErrorCode } from "./errors.ts";
import { randomHex } from "./random.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants;

/**
 * Replaces `file` by `content` in one step: readers see the old or the new, never half of it, and a symlink in the way is
 * replaced, not followed. Mode 0600 unless told otherwise. Throws `state_unusable` with the path; then nothing has changed.
 */
export function writePrivateFile(file: string, content: string | Uint8Array, mode = 0o600): void {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.${randomHex(4)}`);
  try {
    const descriptor = fs.openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
    try {
      fs.writeFileSync(descriptor, content);
    } finally {
      fs.closeSync(descriptor);
    }
    fs.renameSync(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw unusable("write", file, error);
  }
}

/** Creates a directory for this user alone (0700), with its parents. Throws `state_unusable`. */
export function ensurePrivateDirectory(directory: string): void {
  try {
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unusable("create", directory, error);
  }
}

/** The file's text, or undefined if there is none. Throws `state_unusable` where it exists and cannot be read. */
export function readFileIfPresent(file: string): string | undefined {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT" || systemErrorCode(error) === "ENOTDIR") return undefined;
    throw unusable("read", file, error);
  }
}

function unusable(verb: string, file: string, cause: unknown): CcmError {
  const reason = cause instanceof Error ? cause.message.replace(/, \w+ '.*$/, "") : String(cause);
  return new CcmError("state_unusable", `cannot ${verb} ${file}: ${reason}`, {
    cause,
    hint: "check its owner, its mode and the space left on that disk",
  });
}
