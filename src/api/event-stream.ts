import type { Clock } from "../core/clock.ts";
import type { EventRing, Position } from "./event-ring.ts";

/** So that whoever is in between, and this server, notice that the other end is gone. */
const HEARTBEAT_MS = 15_000;
/** How soon a client should come back. */
const RETRY_MS = 1_000;

export interface EventStreamOptions {
  readonly ring: EventRing;
  readonly lastEventId: string | undefined;
  readonly clock: Clock;
  /** Ends every stream. */
  readonly closing: AbortSignal;
  /** Those that are open; it enters itself, and leaves however it ends. */
  readonly streams: Set<unknown>;
}

/** The events as text/event-stream, read from the ring as fast as the client takes them and no faster. */
export function eventStream({ ring, lastEventId, clock, closing, streams }: EventStreamOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const hungUp = new AbortController();
  const over = AbortSignal.any([closing, hungUp.signal]);
  streams.add(over);
  over.addEventListener("abort", () => streams.delete(over), { once: true });
  let position: Position = ring.positionOf(lastEventId);
  let isOpened = false;
  /** Undefined at the end. */
  const next = async (): Promise<string | undefined> => {
    if (!isOpened) {
      isOpened = true;
      return `retry: ${RETRY_MS}\n\n`;
    }
    while (!over.aborted) {
      const changed = ring.changed;
      const read = ring.read(position);
      if (read) {
        position = read.position;
        if (read.event === undefined) return sse(ring.idOf(position.number), "gap", JSON.stringify({ reason: read.gap }));
        return sse(read.event.id, read.event.type, read.event.data);
      }
      if (await isLate(changed, over, clock)) return ": still here\n\n";
    }
    return undefined;
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const text = await next();
        if (text === undefined) controller.close();
        else controller.enqueue(encoder.encode(text));
      },
      cancel: () => hungUp.abort(),
    },
    { highWaterMark: 0 },
  );
}

function sse(id: string, type: string, data: string): string {
  return `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`;
}

/** Whether neither came within the time of a heartbeat. */
async function isLate(changed: Promise<void>, over: AbortSignal, clock: Clock): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const cancel = clock.after(HEARTBEAT_MS, () => resolve(true));
  const onAbort = () => resolve(false);
  over.addEventListener("abort", onAbort, { once: true });
  void changed.then(() => resolve(false));
  return await promise.finally(() => {
    cancel();
    over.removeEventListener("abort", onAbort);
  });
}
