import { setImmediate } from "node:timers/promises";
import v8 from "node:v8";
import vm from "node:vm";
import { Random } from "../support/random.ts";
import { HostileLines } from "./hostile-lines.ts";

/** Something that reads lines from whom it cannot trust. */
export interface FuzzTarget {
  /** What it would like to read: JSON values, or text. */
  readonly seeds: readonly unknown[];
  /** More than it takes in one line. */
  readonly oversizeBytes: number;
  /** Has it read these; rejects if after them it does not do its work any more. */
  feed(lines: readonly Buffer[]): Promise<void>;
  close(): Promise<void>;
}

export interface FuzzResult {
  readonly lines: number;
  readonly seconds: number;
  /** After a collection: when a tenth was done, and at the end. */
  readonly heapBeforeBytes: number;
  readonly heapAfterBytes: number;
}

const BATCH_LINES = 500;

v8.setFlagsFromString("--expose-gc");
const collectGarbage = vm.runInNewContext("gc") as () => void;

/** Rejects with the first exception that escapes, wherever it does, and the seed that leads there. */
export async function runFuzz(open: () => Promise<FuzzTarget>, lineCount: number, seed: number): Promise<FuzzResult> {
  const escaped: unknown[] = [];
  const note = (error: unknown) => escaped.push(error);
  process.on("uncaughtException", note).on("unhandledRejection", note);
  const target = await open();
  try {
    const startedMs = performance.now();
    const hostile = new HostileLines(new Random(seed), target.seeds, target.oversizeBytes);
    let heapBeforeBytes = 0;
    for (let done = 0; done < lineCount; done += BATCH_LINES) {
      if (heapBeforeBytes === 0 && done >= lineCount / 10) heapBeforeBytes = await settledHeap();
      await target.feed(Array.from({ length: BATCH_LINES }, () => hostile.next()));
      if (escaped.length > 0) throw new Error(`an exception escaped after ${done} lines of seed ${seed}`, { cause: escaped[0] });
    }
    const seconds = (performance.now() - startedMs) / 1000;
    return { lines: lineCount, seconds, heapBeforeBytes, heapAfterBytes: await settledHeap() };
  } finally {
    await target.close();
    process.off("uncaughtException", note).off("unhandledRejection", note);
  }
}

async function settledHeap(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    await setImmediate();
    collectGarbage();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
