import type { Readable } from "node:stream";

/** What a login shell may print before our program speaks: more than any rc file should, less than would hurt. */
export const MAX_NOISE_BYTES = 1024 * 1024;
const KEPT_BYTES = 4 * 1024;

export interface NonceSearch {
  readonly outcome: "found" | "ended" | "too-noisy";
  /** The beginning of what came before, at most 4 KiB. */
  readonly noise: string;
}

/**
 * Reads up to and including the line `ccm-<nonce>`, wherever it begins, since noise may lack its last newline. What follows it is
 * put back, for whoever reads next. Never rejects; leaves no listener.
 */
export function skipToNonce(stream: Readable, nonce: string): Promise<NonceSearch> {
  const needle = Buffer.from(`ccm-${nonce}\n`);
  const kept: Buffer[] = [];
  let seenBytes = 0;
  let tail = Buffer.alloc(0);
  return new Promise((resolve) => {
    const finish = (outcome: NonceSearch["outcome"]): void => {
      stream.off("readable", read).off("end", end).off("close", end);
      resolve({ outcome, noise: Buffer.concat(kept).subarray(0, KEPT_BYTES).toString("utf8") });
    };
    const skip = (noise: Buffer): void => {
      if (seenBytes < KEPT_BYTES) kept.push(noise);
      seenBytes += noise.length;
    };
    const end = (): void => {
      skip(tail);
      finish("ended");
    };
    /** Whether the search is over. */
    const take = (chunk: Buffer): boolean => {
      const window = Buffer.concat([tail, chunk]);
      const at = window.indexOf(needle);
      // The last bytes may be the beginning of the line.
      const noiseBytes = at === -1 ? Math.max(0, window.length - needle.length + 1) : at;
      skip(window.subarray(0, noiseBytes));
      tail = window.subarray(noiseBytes);
      if (at !== -1) {
        const rest = tail.subarray(needle.length);
        if (rest.length > 0) stream.unshift(rest);
        finish("found");
      } else if (seenBytes > MAX_NOISE_BYTES) {
        finish("too-noisy");
      }
      return at !== -1 || seenBytes > MAX_NOISE_BYTES;
    };
    const read = (): void => {
      for (let chunk: Buffer | null = stream.read(); chunk !== null; chunk = stream.read()) if (take(chunk)) return;
    };
    stream.on("readable", read).once("end", end).once("close", end);
  });
}
