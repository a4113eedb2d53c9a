import type { Duplex } from "node:stream";
import { CcmError } from "./errors.ts";

const NEWLINE = 0x0a;

/**
 * Takes the first line off a stream and leaves the rest in it, for whoever reads next. Rejects with `protocol_violated` when the
 * stream ends, fails, or sends `maxBytes` before a newline; with `timeout` when the line is not there in `timeoutMs`.
 */
export function takeFirstLine(stream: Duplex, limits: { readonly maxBytes: number; readonly timeoutMs: number }): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const held: Buffer[] = [];
  let heldBytes = 0;
  const fail = (message: string) => reject(new CcmError("protocol_violated", message));
  const onData = (chunk: Buffer) => {
    const end = chunk.indexOf(NEWLINE);
    held.push(end === -1 ? chunk : chunk.subarray(0, end));
    heldBytes += chunk.length;
    if (end === -1 && heldBytes > limits.maxBytes) return fail(`no line within ${limits.maxBytes} bytes`);
    if (end === -1) return;
    stream.pause();
    stream.off("data", onData);
    const rest = chunk.subarray(end + 1);
    if (rest.length > 0) stream.unshift(rest);
    resolve(Buffer.concat(held).toString("utf8"));
  };
  const onEnd = () => fail("the stream ended before its first line");
  const onError = (error: Error) => fail(error.message);
  const timer = setTimeout(() => reject(new CcmError("timeout", `no line within ${limits.timeoutMs} ms`)), limits.timeoutMs);
  stream.on("data", onData).on("end", onEnd).on("error", onError).on("close", onEnd);
  return promise.finally(() => {
    clearTimeout(timer);
    stream.off("data", onData).off("end", onEnd).off("error", onError).off("close", onEnd);
  });
}
