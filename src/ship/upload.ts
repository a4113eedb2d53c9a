import { once } from "node:events";
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { CcmError } from "../core/errors.ts";
import { beforeDeadline } from "../ssh/before-deadline.ts";
import type { RemoteExit, RemoteProcess } from "../ssh/transport.ts";
import type { PushProgress } from "./push.ts";
import type { ShipContext } from "./ship-context.ts";

const CHUNK_BYTES = 256 * 1024;

/** Whether the chunk went out, or nobody reads any more. Rejects with `timeout` when not one byte of it gets through. */
export function writeChunk(context: ShipContext, process: RemoteProcess, chunk: Buffer): Promise<boolean> {
  const ms = context.timeouts.stallMs;
  const onTimeout = (): CcmError => timeout(context, `took not one byte of the upload for ${ms / 1000} s`);
  const write = new Promise<boolean>((resolve) => process.stdin.write(chunk, (error) => resolve(!error)));
  return beforeDeadline(write, { ms, clock: context.clock, signal: context.signal, onTimeout });
}

/** Writes it all and ends the remote stdin; false where the remote end stops reading before. */
export async function writeAll(
  context: ShipContext,
  process: RemoteProcess,
  bytes: Buffer,
  onProgress: ((progress: PushProgress) => void) | undefined,
): Promise<boolean> {
  onProgress?.({ sentBytes: 0, totalBytes: bytes.length });
  for (let sent = 0; sent < bytes.length; sent += CHUNK_BYTES) {
    const chunk = bytes.subarray(sent, sent + CHUNK_BYTES);
    if (!(await writeChunk(context, process, chunk))) return false;
    onProgress?.({ sentBytes: sent + chunk.length, totalBytes: bytes.length });
  }
  process.stdin.end();
  return true;
}

/** The exit status, after all of stderr, which tells what it means. */
export async function settledExit(context: ShipContext, process: RemoteProcess): Promise<RemoteExit> {
  const ms = context.timeouts.settleMs;
  const onTimeout = (): CcmError => timeout(context, `did not finish installing within ${ms / 1000} s`);
  const stderrEnd = finished(process.stderr).catch(() => {});
  const work = Promise.all([process.exit, stderrEnd]).then(([exit]) => exit);
  return beforeDeadline(work, { ms, clock: context.clock, signal: context.signal, onTimeout });
}

/** The next `length` bytes of a stream that is not flowing, or undefined where it ends before. The deadline is the caller's. */
export async function readExactly(stream: Readable, length: number): Promise<Buffer | undefined> {
  for (;;) {
    const bytes: Buffer | null = stream.read(length);
    if (bytes !== null) return bytes.length === length ? bytes : undefined;
    if (stream.readableEnded || stream.destroyed) return undefined;
    const waiting = new AbortController();
    const { signal } = waiting;
    await Promise.race(["readable", "end", "close"].map((event) => once(stream, event, { signal })));
    waiting.abort();
  }
}

function timeout(context: ShipContext, what: string): CcmError {
  return new CcmError("timeout", `${context.connection.description} ${what}`, { hint: "it is tried again with the next connection" });
}
