import { plainLine } from "../../core/plain-text.ts";
import type { PushProgress } from "../../ship/push.ts";
import { describeBytes } from "../output/units.ts";
import { CLEAR_LINE, describeProgress, type PairReporter, type ProgressStream, REDRAW_MS } from "./push-progress.ts";

interface Row {
  readonly host: string;
  state: string;
  phase: "waiting" | "under way" | "done";
}

/** On a terminal that has fewer lines than there are hosts, those that are under way have one, and the last line counts the others. */
const LINES_ELSEWHERE = 24;

const CLEAR_BELOW = "\r\u001b[J";

/** How several pairings at once tell what they are doing: on a terminal one line each, drawn over; in a log a line for each new state. */
export class PairBoard {
  readonly #stream: ProgressStream;
  readonly #nowMs: () => number;
  readonly #rows: Row[] = [];
  #drawnRows = 0;
  #drawnMs = Number.NEGATIVE_INFINITY;

  constructor(stream: ProgressStream, nowMs: () => number = () => performance.now()) {
    this.#stream = stream;
    this.#nowMs = nowMs;
  }

  /** The line of one host; `finish` of the result says how it ended. */
  open(host: string): PairReporter & { finish(state: string): void } {
    const row: Row = { host, state: "waiting", phase: "waiting" };
    this.#rows.push(row);
    let sendingSinceMs: number | undefined;
    return {
      connecting: () => this.#change(row, "connecting"),
      progress: (progress) => {
        sendingSinceMs ??= this.#nowMs();
        this.#sending(row, progress, this.#nowMs() - sendingSinceMs);
      },
      end: () => this.#change(row, "linking"),
      finish: (state) => this.#change(row, state, "done"),
    };
  }

  /** Takes the lines off a terminal, for the results to stand alone. */
  clear(): void {
    if (this.#drawnRows > 0) this.#stream.write(`\u001b[${this.#drawnRows}A${CLEAR_BELOW}`);
    this.#drawnRows = 0;
  }

  #sending(row: Row, progress: PushProgress, elapsedMs: number): void {
    if (!this.#stream.isTTY) return this.#change(row, `sending ccm to it, ${describeBytes(progress.totalBytes)}`);
    row.state = describeProgress(progress, elapsedMs);
    if (progress.sentBytes === progress.totalBytes || this.#nowMs() - this.#drawnMs >= REDRAW_MS) this.#draw();
  }

  #change(row: Row, state: string, phase: Row["phase"] = "under way"): void {
    row.phase = phase;
    if (row.state === state) return;
    row.state = state;
    if (this.#stream.isTTY) this.#draw();
    else this.#stream.write(`${describeRow(row)}\n`);
  }

  #draw(): void {
    const width = (this.#stream.columns ?? 80) - 1;
    const up = this.#drawnRows > 0 ? `\u001b[${this.#drawnRows}A` : "";
    const lines = this.#visibleLines((this.#stream.rows ?? LINES_ELSEWHERE) - 1);
    const isShorter = lines.length < this.#drawnRows;
    this.#stream.write(up + lines.map((line) => `${CLEAR_LINE}${plainLine(line, width)}\n`).join("") + (isShorter ? CLEAR_BELOW : ""));
    this.#drawnRows = lines.length;
    this.#drawnMs = this.#nowMs();
  }

  #visibleLines(maxLines: number): string[] {
    if (this.#rows.length <= maxLines) return this.#rows.map(describeRow);
    const shown = this.#rows.filter(({ phase }) => phase === "under way").slice(0, maxLines - 1);
    const counts = ["done", "waiting"].map((phase) => `${this.#rows.filter((row) => row.phase === phase).length} ${phase}`);
    return [...shown.map(describeRow), `${this.#rows.length} hosts: ${counts.join(", ")}`];
  }
}

function describeRow({ host, state }: Row): string {
  return `${plainLine(host, 60)}: ${plainLine(state, 200)}`;
}
