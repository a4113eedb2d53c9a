import { once } from "node:events";
import type { RemoteServe } from "../../../src/ship/start-serve.ts";

/** The next `length` bytes. */
export async function take(serve: RemoteServe, length: number): Promise<string> {
  for (;;) {
    const bytes = serve.readable.read(length);
    if (bytes !== null) return bytes.toString();
    await once(serve.readable, "readable", { signal: AbortSignal.timeout(10_000) });
  }
}
