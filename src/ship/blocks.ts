import { createHash } from "node:crypto";
import fs from "node:fs";

/**
 * What both ends of an upgrade must count alike. By measurement two builds that differ in our code alone differ in about 1 % of blocks
 * of this size; smaller ones would double the list of hashes and save a few kilobytes.
 */
export const BLOCK_BYTES = 64 * 1024;
/** Enough to tell blocks apart; the whole file is checked by its full hash. */
export const HASH_BYTES = 16;

/** The hashes of a file's blocks, one after the other; the last block may be shorter. Throws as `fs` does. */
export function hashBlocks(file: string): Buffer {
  const descriptor = fs.openSync(file, "r");
  try {
    const block = Buffer.allocUnsafe(BLOCK_BYTES);
    const hashes: Buffer[] = [];
    for (let bytes = readBlock(descriptor, block); bytes > 0; bytes = readBlock(descriptor, block)) {
      hashes.push(createHash("sha256").update(block.subarray(0, bytes)).digest().subarray(0, HASH_BYTES));
    }
    return Buffer.concat(hashes);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Reads until the block is full or the file ends. */
export function readBlock(descriptor: number, block: Buffer, position: number | null = null): number {
  let filled = 0;
  while (filled < block.length) {
    const bytes = fs.readSync(descriptor, block, filled, block.length - filled, position === null ? null : position + filled);
    if (bytes === 0) break;
    filled += bytes;
  }
  return filled;
}

/** The first line of a patch: what the new file is made of, in order. */
export interface PatchPlan {
  readonly bytes: number;
  /** An index of a block of the old file, or -1 for the next block of the new one that follows this line. */
  readonly blocks: readonly number[];
}

/** What to take from a file with these hashes and what to send, to make the file at hand. */
export function planPatch(oldHashes: Buffer, newHashes: Buffer, bytes: number): PatchPlan {
  const known = new Map<string, number>();
  for (let index = 0; index < oldHashes.length / HASH_BYTES; index++) known.set(hashAt(oldHashes, index), index);
  const blocks = Array.from({ length: newHashes.length / HASH_BYTES }, (_, index) => known.get(hashAt(newHashes, index)) ?? -1);
  return { bytes, blocks };
}

function hashAt(hashes: Buffer, index: number): string {
  return hashes.toString("latin1", index * HASH_BYTES, (index + 1) * HASH_BYTES);
}
