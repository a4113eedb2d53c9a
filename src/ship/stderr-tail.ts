import type { Readable } from "node:stream";

const KEPT_BYTES = 4 * 1024;

/** Keeps reading a stream to its end and remembers the last 4 KiB of it. */
export function keepTail(stream: Readable): () => string {
  let tail = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-KEPT_BYTES);
  });
  return () => tail.toString("utf8");
}
