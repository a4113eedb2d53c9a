import fs, { type FileHandle } from "node:fs/promises";
import path from "node:path";
import { systemErrorCode } from "../../core/errors.ts";
import type { AttachmentDescriptor } from "./descriptor.ts";
import { AttachmentFault, attachmentFaults as faults } from "./notes.ts";
import { MAX_FILE_BYTES, spoolDirectory } from "./spool.ts";

// A FIFO in its place must not hold up the one who opens it.
const OPEN_FLAGS = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;

/**
 * Opens the staged copy that a descriptor names, once, and judges what is open: a file of this user in this very spool, reached through no
 * symlink, of the size that it should have. The caller closes it, and compares the hash of what it reads. Rejects with
 * {@link AttachmentFault}.
 */
export async function openStagedFile(descriptor: AttachmentDescriptor, claudeConfig: string): Promise<FileHandle> {
  await checkPlace(descriptor.path, claudeConfig);
  const handle = await open(descriptor.path);
  try {
    const stat = await handle.stat();
    if (!stat.isFile() || stat.uid !== process.geteuid?.()) throw new AttachmentFault(faults.notRegular);
    if (stat.size > MAX_FILE_BYTES) throw new AttachmentFault(faults.unreadable);
    if (stat.size !== descriptor.file_size) throw new AttachmentFault(faults.changed);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Nothing else of its path may decide where a file is: it is in the spool, by the name that the spool has here or truly has. */
async function checkPlace(file: string, claudeConfig: string): Promise<void> {
  if (!path.isAbsolute(file) || file.includes("\0")) throw new AttachmentFault(faults.invalidPath);
  const spool = spoolDirectory(claudeConfig);
  const stat = await fs.lstat(spool).catch(() => undefined);
  const directory = path.dirname(file);
  const isInSpool = directory === spool || directory === (await fs.realpath(spool).catch(() => undefined));
  if (!isInSpool || path.resolve(file) !== file) throw new AttachmentFault(faults.outsideSpool);
  if (!stat?.isDirectory() || stat.uid !== process.geteuid?.()) throw new AttachmentFault(faults.notRegular);
}

async function open(file: string): Promise<FileHandle> {
  try {
    return await fs.open(file, OPEN_FLAGS);
  } catch (error) {
    // What O_NOFOLLOW says of a symlink, and a system of a socket.
    const isOther = ["ELOOP", "EMLINK", "ENXIO"].includes(systemErrorCode(error) ?? "");
    throw new AttachmentFault(isOther ? faults.notRegular : faults.unreadable, { cause: error });
  }
}
