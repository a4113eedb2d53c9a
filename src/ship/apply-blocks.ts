import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync } from "node:zlib";
import { CcmError } from "../core/errors.ts";
import { BLOCK_BYTES, hashBlocks, type PatchPlan, readBlock } from "./blocks.ts";
import { isExecutableName } from "./remote-path.ts";

/** A plan and the blocks that differ; what is larger comes as a whole executable. */
const MAX_PATCH_BYTES = 64 * 1024 * 1024;
const SETTLE_TIMEOUT_MS = 60_000;

/**
 * `ccm settle patch <sha256> <name> <nonce>`, run by the version that is there: tells the hashes of its own blocks on stdout, after a line
 * `ccm-<nonce>`, takes what differs on stdin, builds the new file from both, and has that check itself and take its name. Throws
 * `push_failed` after removing it; this version stays as it is.
 */
export async function applyBlocks(args: readonly string[], image: string): Promise<void> {
  const [sha256 = "", name = "", nonce = ""] = args;
  if (args.length !== 3 || !/^[0-9a-f]{64}$/.test(sha256) || !isExecutableName(name) || !/^[0-9a-f]{16,64}$/.test(nonce)) {
    throw new CcmError("usage", "settle patch is for ccm's own use: it takes a SHA-256, a file name and a nonce");
  }
  process.stdout.write(`ccm-${nonce}\n`);
  process.stdout.write(packHashes(hashBlocks(image)));
  const patch = await buffer(process.stdin);
  const incoming = path.join(path.dirname(image), `.incoming-${nonce}`);
  try {
    build(incoming, image, brotliDecompressSync(patch, { maxOutputLength: MAX_PATCH_BYTES }));
    execFileSync(incoming, ["settle", sha256, name], { stdio: ["ignore", "ignore", "pipe"], timeout: SETTLE_TIMEOUT_MS });
  } catch (error) {
    throw new CcmError("push_failed", `cannot build ${name} here: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  } finally {
    fs.rmSync(incoming, { force: true });
  }
}

/** Their length in four bytes, then they. */
function packHashes(hashes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(hashes.length);
  return Buffer.concat([length, hashes]);
}

/** Writes the new file. Throws when the patch does not fit. */
function build(incoming: string, image: string, patch: Buffer): void {
  const lineEnd = patch.indexOf("\n");
  const plan: PatchPlan = JSON.parse(patch.toString("utf8", 0, lineEnd));
  let sent = lineEnd + 1;
  const source = fs.openSync(image, "r");
  const target = fs.openSync(incoming, "wx", 0o700);
  try {
    const block = Buffer.allocUnsafe(BLOCK_BYTES);
    let left = plan.bytes;
    for (const index of plan.blocks) {
      const bytes = Math.min(BLOCK_BYTES, left);
      left -= bytes;
      if (index >= 0) readBlock(source, block, index * BLOCK_BYTES);
      fs.writeSync(target, index >= 0 ? block : patch.subarray(sent, sent + bytes), 0, bytes);
      if (index < 0) sent += bytes;
    }
    fs.fchmodSync(target, 0o700);
  } finally {
    fs.closeSync(source);
    fs.closeSync(target);
  }
}
