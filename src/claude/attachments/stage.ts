import fs, { type FileHandle } from "node:fs/promises";
import path from "node:path";
import { CcmError, systemErrorCode } from "../../core/errors.ts";
import { plainLine } from "../../core/plain-text.ts";
import { copyFile } from "./copy-file.ts";
import type { AttachmentDescriptor } from "./descriptor.ts";
import { mediaTypeOf } from "./media-type.ts";
import { cleanSpool, ensureSpool, MAX_FILE_BYTES, MAX_FILES_PER_MESSAGE, storedName } from "./spool.ts";

const MIB = 1024 * 1024;

/**
 * Copies files into the spool and gives the descriptors for a frame's `file_attachments`, in the order of `files`. All or none: when it
 * rejects nothing is left there. Rejects with `too_large` (a file over 30 MiB, more than 16 files), `usage` (one that is not there, cannot
 * be read or is no regular file) and `state_unusable` (the spool). Whoever takes the files removes them; after a day anyone does.
 */
export async function stageAttachments(claudeConfig: string, files: readonly string[]): Promise<readonly AttachmentDescriptor[]> {
  if (files.length > MAX_FILES_PER_MESSAGE) {
    throw new CcmError("too_large", `a message takes ${MAX_FILES_PER_MESSAGE} files, not ${files.length}`, {
      hint: "send several messages",
    });
  }
  const spool = ensureSpool(claudeConfig);
  await cleanSpool(claudeConfig);
  const staged: AttachmentDescriptor[] = [];
  try {
    for (const file of files) staged.push(await stage(file, spool));
    return staged;
  } catch (error) {
    await unstageAttachments(staged);
    throw error;
  }
}

/** For a message that was not sent. */
export async function unstageAttachments(staged: readonly AttachmentDescriptor[]): Promise<void> {
  await Promise.all(staged.map((descriptor) => fs.rm(descriptor.path, { force: true })));
}

async function stage(file: string, spool: string): Promise<AttachmentDescriptor> {
  const source = await open(file);
  try {
    const name = path.basename(file);
    const stat = await source.stat();
    if (!stat.isFile()) throw unusable(file, "it is no regular file");
    if (stat.size > MAX_FILE_BYTES) throw tooLarge(file, stat.size);
    const copied = await copyFile(source, spool, MAX_FILE_BYTES, ({ sha256 }) => storedName(sha256, name));
    return { path: copied.path, file_name: name, file_size: copied.bytes, sha256: copied.sha256, media_type: mediaTypeOf(name) };
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(file, MAX_FILE_BYTES + 1);
    if (error instanceof CcmError) throw error;
    throw new CcmError("state_unusable", `${file} could not be copied to ${spool}: ${plainLine(String(error))}`, { cause: error });
  } finally {
    await source.close();
  }
}

async function open(file: string): Promise<FileHandle> {
  try {
    return await fs.open(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch (error) {
    throw unusable(file, systemErrorCode(error) === "ENOENT" ? "there is no such file" : "it cannot be read", error);
  }
}

function unusable(file: string, reason: string, cause?: unknown): CcmError {
  return new CcmError("usage", `${plainLine(file)} cannot be sent: ${reason}`, { cause });
}

function tooLarge(file: string, bytes: number): CcmError {
  return new CcmError(
    "too_large",
    `${plainLine(file)} has ${(bytes / MIB).toFixed(1)} MiB; the limit is ${MAX_FILE_BYTES / MIB} MiB a file`,
  );
}
