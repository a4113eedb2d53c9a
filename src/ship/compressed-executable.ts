import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createGzip, createZstdCompress } from "node:zlib";
import { buildInfo } from "../core/build-info.ts";
import { CcmError, systemErrorCode } from "../core/errors.ts";
import { ensurePrivateDirectory } from "../core/private-file.ts";
import type { OwnExecutable } from "./own-executable.ts";
import { executableName, type Packing } from "./remote-path.ts";

const CHUNK_BYTES = 256 * 1024;
/** By measurement: what each level above saves on the wire takes longer than any local network takes to carry it. */
const compressors: Readonly<Record<Packing, () => Transform>> = {
  gzip: () => createGzip({ level: 4, chunkSize: CHUNK_BYTES }),
  zstd: () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 }, chunkSize: CHUNK_BYTES }),
};
/** Of the executable's size, until it is known better: for progress alone. */
const EXPECTED_RATIO = 0.37;
const DAY_MS = 24 * 3600 * 1000;

/** The executable as it is sent. It can be read while it is being made, and several hosts read one. */
export interface CompressedExecutable {
  /** Equal ids are equal bytes, whoever made them. In hex. */
  readonly id: string;
  /** An estimate until it has all been made. */
  totalBytes(): number;
  /** From an offset to its end. Rejects with `executable_missing` or `state_unusable` where it cannot be made. */
  chunks(fromByte: number): AsyncIterable<Buffer>;
  /** Removes it from the cache: its bytes have been found to be damaged. */
  discard(): void;
}

/** What is being made just now, by file: several hosts may need it at once. */
const inProgress = new Map<string, Archive>();

/** The id of what {@link compressedExecutable} gives, which is known before it is made. */
export function archiveId(executable: OwnExecutable): string {
  const made = `${executableName(executable)} ${executable.platform} ${buildInfo.buildId} ${process.version}`;
  return createHash("sha256").update(made).digest("hex").slice(0, 16);
}

/**
 * The executable as an archive under `<cache>/ship/`, made once for each build and packing, beginning at once; whatever else lies there is
 * of older builds and is removed. Throws `state_unusable`.
 */
export function compressedExecutable(executable: OwnExecutable, cacheDirectory: string, packing: Packing): CompressedExecutable {
  const directory = path.join(cacheDirectory, "ship");
  const file = path.join(directory, `${executableName(executable)}-${executable.platform}-${archiveId(executable)}.${packing}`);
  const known = inProgress.get(file);
  if (known) return known;
  if (fs.existsSync(file)) return new Archive(executable, file);
  ensurePrivateDirectory(directory);
  const archive = new Archive(executable, file);
  inProgress.set(file, archive);
  // Whoever reads it is told; nobody may be reading any more.
  archive
    .make(compressors[packing]())
    .then(() => removeOthers(directory, path.basename(file)))
    .catch(() => {})
    .finally(() => inProgress.delete(file));
  return archive;
}

class Archive implements CompressedExecutable {
  readonly id: string;
  readonly #executable: OwnExecutable;
  readonly #file: string;
  /** Where its bytes are; undefined when they are in the file. */
  #temporary: string | undefined;
  #failure: CcmError | undefined;
  #consumedBytes = 0;
  #grown = Promise.withResolvers<void>();

  constructor(executable: OwnExecutable, file: string) {
    this.id = archiveId(executable);
    this.#executable = executable;
    this.#file = file;
  }

  async make(compressor: Transform): Promise<void> {
    const temporary = `${this.#file}.${randomBytes(4).toString("hex")}`;
    this.#temporary = temporary;
    try {
      const source = fs.createReadStream(this.#executable.file, { highWaterMark: CHUNK_BYTES });
      source.on("data", (chunk) => {
        this.#consumedBytes += chunk.length;
      });
      const target = fs.createWriteStream(temporary, { flags: "wx", mode: 0o600 });
      compressor.on("data", () => this.#grow());
      await pipeline(source, compressor, target);
      fs.renameSync(temporary, this.#file);
      this.#temporary = undefined;
    } catch (error) {
      fs.rmSync(temporary, { force: true });
      this.#failure = failure(this.#executable, this.#file, error);
      throw this.#failure;
    } finally {
      this.#grow();
    }
  }

  totalBytes(): number {
    const bytes = sizeOf(this.#temporary ?? this.#file);
    if (this.#temporary === undefined) return bytes;
    const allBytes = sizeOf(this.#executable.file);
    const expected = this.#consumedBytes > allBytes / 20 ? (bytes * allBytes) / this.#consumedBytes : allBytes * EXPECTED_RATIO;
    return Math.max(bytes, Math.round(expected));
  }

  async *chunks(fromByte: number): AsyncGenerator<Buffer> {
    const file = await this.#open();
    try {
      for (let offset = fromByte; ; ) {
        const isComplete = this.#temporary === undefined;
        const grown = this.#grown.promise;
        if (this.#failure) throw this.#failure;
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, offset);
        offset += bytesRead;
        if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
        else if (isComplete) return;
        else await grown;
      }
    } finally {
      await file.close();
    }
  }

  discard(): void {
    fs.rmSync(this.#file, { force: true });
  }

  /** The file that is being made appears a moment after it was asked for. */
  async #open(): Promise<fs.promises.FileHandle> {
    for (;;) {
      const grown = this.#grown.promise;
      if (this.#failure) throw this.#failure;
      const file = this.#temporary ?? this.#file;
      try {
        return await fs.promises.open(file);
      } catch (error) {
        if (systemErrorCode(error) !== "ENOENT" || file === this.#file) throw error;
      }
      // Not there yet; or it got its final name just now.
      if (file === this.#temporary) await grown;
    }
  }

  #grow(): void {
    this.#grown.resolve();
    this.#grown = Promise.withResolvers();
  }
}

function sizeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function failure(executable: OwnExecutable, file: string, cause: unknown): CcmError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (!fs.existsSync(executable.file)) return new CcmError("executable_missing", `the executable is gone: ${executable.file}`, { cause });
  return new CcmError("state_unusable", `cannot prepare ${file}: ${reason}`, { hint: "check the space left on that disk", cause });
}

/** A file that is being sent stays readable to whoever has it open; one that is being written is younger than a day. */
function removeOthers(directory: string, made: string): void {
  const stem = made.replace(/\.\w+$/, "");
  for (const name of fs.readdirSync(directory)) {
    if (name.startsWith(`${stem}.`) && /\.(gzip|zstd)$/.test(name)) continue;
    const file = path.join(directory, name);
    const isUnfinished = !/\.(gzip|zstd|gz)$/.test(name);
    const ageMs = Date.now() - (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (!isUnfinished || ageMs > DAY_MS) fs.rmSync(file, { force: true });
  }
}
