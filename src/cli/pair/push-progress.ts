import type { PushProgress } from "../../ship/push.ts";
import { describeBytes, describeDuration } from "../output/units.ts";

/** How `pair` tells what it is doing while it does it. */
export interface PairReporter {
  stage(text: string): void;
  progress(progress: PushProgress): void;
}

export const silentReporter: PairReporter = { stage() {}, progress() {} };

interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** A terminal can take more; nobody can read more. */
const REDRAW_MS = 100;
const CLEAR_LINE = "\r\u001b[K";

/** On a terminal one line that is drawn over and over; elsewhere, as in a log, a line when the sending begins and when it is done. */
export function reportTo(stream: ProgressStream, nowMs: () => number = performance.now.bind(performance)): PairReporter {
  let startedMs: number | undefined;
  let drawnMs = Number.NEGATIVE_INFINITY;
  return {
    stage: (text) => void stream.write(`${text}\n`),
    progress(progress) {
      const isFirst = startedMs === undefined;
      startedMs ??= nowMs();
      const isDone = progress.sentBytes >= progress.totalBytes;
      if (isDone) drawnMs = Number.NEGATIVE_INFINITY;
      const elapsedMs = nowMs() - startedMs;
      if (isDone)
        stream.write(`${stream.isTTY ? CLEAR_LINE : ""}  sent ${describeBytes(progress.totalBytes)} in ${describeDuration(elapsedMs)}\n`);
      else if (stream.isTTY && nowMs() - drawnMs >= REDRAW_MS) {
        drawnMs = nowMs();
        stream.write(`${CLEAR_LINE}  ${describeProgress(progress, elapsedMs)}`);
      } else if (isFirst) stream.write(`  sending ccm to it, ${describeBytes(progress.totalBytes)}\n`);
    },
  };
}

/** `sending ccm to it: 12.4 of 41.6 MB, 3.1 MB/s, 9 s left`. */
export function describeProgress({ sentBytes, totalBytes }: PushProgress, elapsedMs: number): string {
  const amount = `sending ccm to it: ${describeBytes(sentBytes)} of ${describeBytes(totalBytes)}`;
  if (sentBytes === 0 || elapsedMs <= 0) return amount;
  const bytesPerMs = sentBytes / elapsedMs;
  const leftMs = (totalBytes - sentBytes) / bytesPerMs;
  return `${amount}, ${describeBytes(bytesPerMs * 1000)}/s, ${describeDuration(leftMs)} left`;
}
