import { randomBytes } from "node:crypto";
import fs from "node:fs";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { CcmError } from "../core/errors.ts";
import { beforeDeadline } from "../ssh/before-deadline.ts";
import type { RemoteProcess } from "../ssh/transport.ts";
import { BLOCK_BYTES, hashBlocks, type PatchPlan, planPatch, readBlock } from "./blocks.ts";
import { skipToNonce } from "./nonce-line.ts";
import type { OwnExecutable } from "./own-executable.ts";
import type { PushProgress } from "./push.ts";
import { executableName, patchCommand } from "./remote-path.ts";
import type { ShipContext } from "./ship-context.ts";
import { keepTail } from "./stderr-tail.ts";
import { readExactly, settledExit, writeAll } from "./upload.ts";

/** Beyond this much that differs, the whole executable comes out cheaper. */
const MAX_DIFFERENT_BYTES = 24 * 1024 * 1024;
const MAX_HASHES_BYTES = 1024 * 1024;
/** By measurement: 456 kB for a change of our code; the best quality saves a fiftieth of that and takes three times as long. */
const BROTLI_QUALITY = 5;

export interface BlockPushOptions {
  readonly executable: OwnExecutable;
  /** The version over there that has most of it. */
  readonly from: string;
  readonly onProgress: ((progress: PushProgress) => void) | undefined;
}

/**
 * Upgrades a version that is there by the blocks that differ. Settles with whether the new one is in place; false where that version
 * cannot do this or has too little of it, and then nothing has changed. Rejects with `timeout` or an error of the connection.
 */
export async function pushBlocks(context: ShipContext, { executable, from, onProgress }: BlockPushOptions): Promise<boolean> {
  const nonce = randomBytes(16).toString("hex");
  const command = patchCommand({ from, name: executableName(executable), sha256: await executable.sha256(), nonce });
  const process = await context.connection.exec(command);
  keepTail(process.stderr);
  try {
    const hashes = await readHashes(context, process, nonce);
    if (hashes === undefined) return false;
    const plan = planPatch(hashes, hashBlocks(executable.file), fs.statSync(executable.file).size);
    if (plan.blocks.filter((index) => index < 0).length * BLOCK_BYTES > MAX_DIFFERENT_BYTES) return false;
    const patch = await promisify(brotliCompress)(patchOf(executable.file, plan), {
      params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY },
    });
    if (!(await writeAll(context, process, patch, onProgress))) return false;
    return (await settledExit(context, process)).code === 0;
  } finally {
    process.close();
  }
}

async function readHashes(context: ShipContext, process: RemoteProcess, nonce: string): Promise<Buffer | undefined> {
  const { clock, signal, timeouts, connection } = context;
  const ms = timeouts.nonceMs;
  const onTimeout = (): CcmError => new CcmError("timeout", `${connection.description} did not tell within ${ms / 1000} s what it has`);
  return await beforeDeadline(parseHashes(process.stdout, nonce), { ms, clock, signal, onTimeout });
}

/** Undefined where that version does not know what it is asked for. */
async function parseHashes(stdout: Readable, nonce: string): Promise<Buffer | undefined> {
  if ((await skipToNonce(stdout, nonce)).outcome !== "found") return undefined;
  const length = (await readExactly(stdout, 4))?.readUInt32BE();
  return length === undefined || length > MAX_HASHES_BYTES ? undefined : await readExactly(stdout, length);
}

/** The plan's line and the blocks that it wants. */
function patchOf(file: string, plan: PatchPlan): Buffer {
  const parts: Buffer[] = [Buffer.from(`${JSON.stringify(plan)}\n`)];
  const descriptor = fs.openSync(file, "r");
  try {
    for (const [position, index] of plan.blocks.entries()) {
      if (index >= 0) continue;
      const block = Buffer.allocUnsafe(BLOCK_BYTES);
      parts.push(block.subarray(0, readBlock(descriptor, block, position * BLOCK_BYTES)));
    }
  } finally {
    fs.closeSync(descriptor);
  }
  return Buffer.concat(parts);
}
