import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { CcmError } from "../core/errors.ts";
import { applyBlocks } from "./apply-blocks.ts";
import { isExecutableName } from "./remote-path.ts";
import { sweepVersions } from "./sweep-versions.ts";

const CHUNK_BYTES = 1024 * 1024;

/**
 * `ccm settle <sha256> <final name>`, run by an executable that has just arrived: checks its own bytes and renames itself to the final
 * name in its own directory. Throws `push_failed` after removing itself when the bytes are not the ones that were sent, and `usage`
 * for other words than these two. That it runs at all shows that it can run here. Older
 * versions that nobody needs are swept at last. `settle patch …` is an upgrade: see `apply-blocks.ts`.
 */
export function settle(args: readonly string[], arrived: string = process.execPath): void | Promise<void> {
  if (args[0] === "patch") return applyBlocks(args.slice(1), arrived);
  const [sha256, name] = args;
  if (args.length !== 2 || !/^[0-9a-f]{64}$/.test(sha256 ?? "") || !isExecutableName(name ?? "")) {
    throw new CcmError("usage", "settle is for ccm's own use: it takes a SHA-256 and a file name");
  }
  const final = path.join(path.dirname(arrived), name ?? "");
  try {
    const actual = adopt(arrived);
    if (actual !== sha256) throw new CcmError("push_failed", `what arrived is damaged: SHA-256 ${actual}, expected ${sha256}`);
    fs.renameSync(arrived, final);
  } catch (error) {
    fs.rmSync(arrived, { force: true });
    if (error instanceof CcmError) throw error;
    throw new CcmError("push_failed", `cannot take its place: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  sweepVersions(final);
}

/** Makes the file ours alone and executable, and hashes it through the same descriptor. */
function adopt(file: string): string {
  const descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
  try {
    fs.fchmodSync(descriptor, 0o700);
    const hash = createHash("sha256");
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let bytes = fs.readSync(descriptor, chunk); bytes > 0; bytes = fs.readSync(descriptor, chunk))
      hash.update(chunk.subarray(0, bytes));
    fs.fsyncSync(descriptor);
    return hash.digest("hex");
  } finally {
    fs.closeSync(descriptor);
  }
}
