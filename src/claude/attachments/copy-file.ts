import { createHash } from "node:crypto";
import fs, { type FileHandle } from "node:fs/promises";
import path from "node:path";
import { halfWrittenName } from "./spool.ts";

const PIECE_BYTES = 256 * 1024;
const CREATE_FLAGS = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | fs.constants.O_NOFOLLOW;

export interface Copied {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Copies what is open to a new private file in `directory`, a piece at a time, which gets the name that `finish` gives it for what was
 * copied; nothing stays when that throws, or when there are more than `maxBytes`.
 */
export async function copyFile(
  source: FileHandle,
  directory: string,
  maxBytes: number,
  finish: (copied: Copied) => string,
): Promise<{ readonly path: string } & Copied> {
  const temporary = path.join(directory, halfWrittenName());
  const target = await fs.open(temporary, CREATE_FLAGS, 0o600);
  try {
    const copied = await copyPieces(source, target, maxBytes).finally(() => target.close());
    const file = path.join(directory, finish(copied));
    await fs.rename(temporary, file);
    return { path: file, ...copied };
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
}

async function copyPieces(source: FileHandle, target: FileHandle, maxBytes: number): Promise<Copied> {
  const hash = createHash("sha256");
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await source.read(piece, 0, PIECE_BYTES, bytes);
    if (bytesRead === 0) return { bytes, sha256: hash.digest("hex") };
    bytes += bytesRead;
    if (bytes > maxBytes) throw new RangeError(`more than ${maxBytes} bytes`);
    hash.update(piece.subarray(0, bytesRead));
    await target.writeFile(piece.subarray(0, bytesRead));
  }
}
