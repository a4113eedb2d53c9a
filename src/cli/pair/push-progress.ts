import type { PushProgress } from "../../ship/push.ts";
import { describeBytes, describeDuration } from "../output/units.ts";

/** How `pair` tells what it is doing while it does it. */
export interface PairReporter {
  connecting(target: string): void;
  progress(progress: PushProgress): void;
  /** Takes away what was only of interest meanwhile, so that a result or an error stands alone. */
  end(): void;
}

export const silentReporter: PairReporter = { connecting() {}, progress() {}, end() {} };

export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** A terminal can take more; nobody can read more. */
export const REDRAW_MS = 100;
export const CLEAR_LINE = "\r\u001b[K";

/** On a terminal one line that is drawn over and over; elsewhere, as in a log, only what takes long: when it begins and when it is done. */
export function reportTo(stream: ProgressStream, nowMs: () => number = () => performance.now()): PairReporter {
  return stream.isTTY ? new TerminalReporter(stream, nowMs) : new LogReporter(stream, nowMs);
}

class TerminalReporter implements PairReporter {
  readonly #stream: ProgressStream;
  readonly #nowMs: () => number;
  #startedMs: number | undefined;
  #drawnMs = Number.NEGATIVE_INFINITY;

  constructor(stream: ProgressStream, nowMs: () => number) {
    this.#stream = stream;
    this.#nowMs = nowMs;
  }

  connecting(target: string): void {
    this.#stream.write(`${CLEAR_LINE}connecting to ${target}`);
  }

  progress(progress: PushProgress): void {
    const nowMs = this.#nowMs();
    this.#startedMs ??= nowMs;
    if (progress.sentBytes < progress.totalBytes && nowMs - this.#drawnMs < REDRAW_MS) return;
    this.#drawnMs = nowMs;
    this.#stream.write(`${CLEAR_LINE}${describeProgress(progress, nowMs - this.#startedMs)}`);
  }

  end(): void {
    this.#stream.write(CLEAR_LINE);
  }
}

class LogReporter implements PairReporter {
  readonly #stream: ProgressStream;
  readonly #nowMs: () => number;
  #startedMs: number | undefined;
  #isDone = false;

  constructor(stream: ProgressStream, nowMs: () => number) {
    this.#stream = stream;
    this.#nowMs = nowMs;
  }

  connecting(): void {}

  progress({ sentBytes, totalBytes }: PushProgress): void {
    if (this.#startedMs === undefined) this.#stream.write(`sending ccm to it, ${describeBytes(totalBytes)}\n`);
    this.#startedMs ??= this.#nowMs();
    if (sentBytes < totalBytes || this.#isDone) return;
    this.#isDone = true;
    this.#stream.write(`sent ${describeBytes(totalBytes)} in ${describeDuration(this.#nowMs() - this.#startedMs)}\n`);
  }

  end(): void {}
}

/** `sending ccm to it: 12.4 MB of 41.6 MB, 3.1 MB/s, 9 s left`. */
export function describeProgress({ sentBytes, totalBytes }: PushProgress, elapsedMs: number): string {
  const amount = `sending ccm to it: ${describeBytes(sentBytes)} of ${describeBytes(totalBytes)}`;
  if (sentBytes >= totalBytes) return `${amount}, checking it`;
  if (sentBytes === 0 || elapsedMs <= 0) return amount;
  const bytesPerMs = sentBytes / elapsedMs;
  return `${amount}, ${describeBytes(bytesPerMs * 1000)}/s, ${describeDuration((totalBytes - sentBytes) / bytesPerMs)} left`;
}
