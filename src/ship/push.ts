import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { finished } from "node:stream/promises";
import { CcmError } from "../core/errors.ts";
import { beforeDeadline } from "../ssh/before-deadline.ts";
import type { RemoteExit, RemoteProcess } from "../ssh/transport.ts";
import { compressedExecutable } from "./compressed-executable.ts";
import type { OwnExecutable } from "./own-executable.ts";
import { pushError } from "./push-error.ts";
import { executableName, installCommand } from "./remote-path.ts";
import { requirePlatform } from "./remote-platform.ts";
import type { ShipContext } from "./ship-context.ts";
import { keepTail } from "./stderr-tail.ts";

export interface PushProgress {
  /** Of the compressed stream, as everything here. */
  readonly sentBytes: number;
  readonly totalBytes: number;
}

export interface PushOptions {
  readonly executable: OwnExecutable;
  readonly cacheDirectory: string;
  readonly onProgress: ((progress: PushProgress) => void) | undefined;
}

const CHUNK_BYTES = 256 * 1024;

/**
 * Puts the executable in its place on the other machine. When this rejects there is nothing under the final name that was not there
 * before: `platform_unsupported`, `push_failed` with the other machine's own words, `timeout`, or an error of the connection.
 */
export async function push(context: ShipContext, { executable, cacheDirectory, onProgress }: PushOptions): Promise<void> {
  await requirePlatform(context, executable.platform);
  const archive = await compressedExecutable(executable, cacheDirectory);
  const command = installCommand({
    name: executableName(executable),
    sha256: await executable.sha256(),
    nonce: randomBytes(16).toString("hex"),
  });
  const process = await context.connection.exec(command);
  const stderrTail = keepTail(process.stderr);
  process.stdout.resume();
  try {
    await upload(context, process, { archive, onProgress });
    const exit = await settled(context, process);
    if (exit.code === 0) return;
    // It may be our own copy that is damaged, and that would fail again on every host.
    if (looksDamaged(exit, stderrTail())) fs.rmSync(archive, { force: true });
    throw pushError(context.connection.description, exit, stderrTail());
  } finally {
    process.close();
  }
}

interface Upload {
  readonly archive: string;
  readonly onProgress: PushOptions["onProgress"];
}

/** Ends the remote stdin after the last byte. A remote end that stops reading is no error here: its exit says why. */
async function upload(context: ShipContext, process: RemoteProcess, { archive, onProgress }: Upload): Promise<void> {
  const file = await fs.promises.open(archive);
  try {
    const totalBytes = (await file.stat()).size;
    let sentBytes = 0;
    onProgress?.({ sentBytes, totalBytes });
    for await (const chunk of file.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false })) {
      if (!(await written(context, process, chunk))) return;
      sentBytes += chunk.length;
      onProgress?.({ sentBytes, totalBytes });
    }
    process.stdin.end();
  } finally {
    await file.close();
  }
}

/** Whether the chunk went out, or nobody reads any more. */
function written(context: ShipContext, process: RemoteProcess, chunk: Buffer): Promise<boolean> {
  const ms = context.timeouts.stallMs;
  const onTimeout = (): CcmError => timeout(context, `took not one byte of the upload for ${ms / 1000} s`);
  const write = new Promise<boolean>((resolve) => process.stdin.write(chunk, (error) => resolve(!error)));
  return beforeDeadline(write, { ms, clock: context.clock, signal: context.signal, onTimeout });
}

/** The exit status, after all of stderr, which tells what it means. */
async function settled(context: ShipContext, process: RemoteProcess): Promise<RemoteExit> {
  const ms = context.timeouts.settleMs;
  const onTimeout = (): CcmError => timeout(context, `did not finish installing within ${ms / 1000} s`);
  const stderrEnd = finished(process.stderr).catch(() => {});
  const work = Promise.all([process.exit, stderrEnd]).then(([exit]) => exit);
  return beforeDeadline(work, { ms, clock: context.clock, signal: context.signal, onTimeout });
}

/** Its own word for it, gzip's, or a crash of what was unpacked. */
function looksDamaged(exit: RemoteExit, stderr: string): boolean {
  return /what arrived is damaged|gzip:.*(crc|invalid|corrupt|not in gzip|unexpected end)/i.test(stderr) || (exit.code ?? 0) > 128;
}

function timeout(context: ShipContext, what: string): CcmError {
  return new CcmError("timeout", `${context.connection.description} ${what}`, { hint: "it is tried again with the next connection" });
}
