import { createHash } from "node:crypto";
import fs from "node:fs";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { CcmError } from "../../core/errors.ts";

const BLOCK_BYTES = 512;

export interface Expected {
  /** Of the archive as it comes. */
  readonly sha256: string;
  readonly executable: { readonly bytes: number; readonly sha256: string };
}

/**
 * Writes the executable that is first in a release's archive to `file`, which must not exist, and makes it executable once
 * archive and executable are what the manifest says. Rejects with `release_refused`, or what the disk or the network threw;
 * the caller removes the file then.
 */
export async function unpackExecutable(archive: Readable, expected: Expected, file: string): Promise<void> {
  const archiveHash = createHash("sha256");
  const hash = createHash("sha256");
  archive.on("data", (chunk: Buffer) => archiveHash.update(chunk));
  await pipeline(
    archive,
    createGunzip(),
    (unpacked) => firstFile(unpacked as AsyncIterable<Buffer>, expected.executable.bytes, hash),
    fs.createWriteStream(file, { flags: "wx", mode: 0o600, flush: true }),
  ).catch((error: unknown) => {
    throw String((error as NodeJS.ErrnoException).code).startsWith("Z_") ? refused("is damaged", error) : error;
  });
  if (archiveHash.digest("hex") !== expected.sha256) throw refused("is not what was published: its SHA-256 is another");
  if (hash.digest("hex") !== expected.executable.sha256) throw refused("holds another program than was published");
  fs.chmodSync(file, 0o755);
}

/** The content of a tar archive's first file; the rest is read, for the archive's hash, and dropped. */
async function* firstFile(unpacked: AsyncIterable<Buffer>, bytes: number, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  let header = Buffer.alloc(0);
  let left = bytes;
  for await (let chunk of unpacked) {
    if (header.length < BLOCK_BYTES) {
      const missing = BLOCK_BYTES - header.length;
      header = Buffer.concat([header, chunk.subarray(0, missing)]);
      chunk = chunk.subarray(missing);
      if (header.length === BLOCK_BYTES) requireExecutable(header, bytes);
    }
    const part = chunk.subarray(0, left);
    left -= part.length;
    hash.update(part);
    if (part.length > 0) yield part;
  }
  if (left > 0) throw refused("ends too early");
}

function requireExecutable(header: Buffer, bytes: number): void {
  const name = header.toString("latin1", 0, 100).replace(/\0.*$/s, "");
  const size = Number.parseInt(header.toString("latin1", 124, 136), 8);
  if (!name.endsWith("/ccm") || size !== bytes) throw refused("holds something else than was published");
}

function refused(what: string, cause?: unknown): CcmError {
  return new CcmError("release_refused", `the archive ${what}; nothing was changed`, {
    hint: "try again; if it stays so, tell whoever publishes it",
    cause,
  });
}
