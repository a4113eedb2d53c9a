import { Readable } from "node:stream";

/** Follows `source` with its backpressure; ends with it, or at `gone` after what has come in until then. Never errors. */
export function endingReadable(source: Readable, gone: AbortSignal): Readable {
  let ended = false;
  const readable = new Readable({ read: () => void source.resume() });
  const end = (): void => {
    if (!ended) readable.push(null);
    ended = true;
  };
  source.on("data", (chunk: Buffer) => {
    if (!ended && !readable.push(chunk)) source.pause();
  });
  source.once("end", end);
  source.on("error", end);
  source.once("close", end);
  gone.addEventListener("abort", () => {
    for (let chunk = source.read(); chunk !== null && !ended; chunk = source.read()) readable.push(chunk);
    end();
    source.resume();
  });
  return readable;
}
