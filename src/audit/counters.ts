import type { Clock } from "../core/clock.ts";
import { CcmError } from "../core/errors.ts";
import { readFileIfPresent, writePrivateFile } from "../core/private-file.ts";

/** Messages (not receipts and notices) with one machine. */
export interface MessageCounts {
  readonly sent: number;
  readonly received: number;
  readonly failed: number;
}

const NOTHING: MessageCounts = { sent: 0, received: 0, failed: 0 };
/** A burst is written once; a crash loses at most what came in this time. */
const WRITE_AFTER_MS = 1_000;

export interface CountersOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly onProblem: (message: string) => void;
}

/** The counts of all time by machine, in `counters.json`: `{ "since": …, "peers": { "server": { "sent": 1, … } } }`. The daemon alone writes it. */
export class Counters {
  readonly #options: CountersOptions;
  readonly #counts: Map<string, MessageCounts>;
  readonly #since: string;
  #cancelWrite: (() => void) | undefined;

  constructor(options: CountersOptions) {
    this.#options = options;
    const { since, counts } = readCounts(options);
    this.#since = since;
    this.#counts = counts;
  }

  of(peer: string): MessageCounts {
    return this.#counts.get(peer) ?? NOTHING;
  }

  add(peer: string, kind: keyof MessageCounts): void {
    const known = this.of(peer);
    this.#counts.set(peer, { ...known, [kind]: known[kind] + 1 });
    this.#cancelWrite ??= this.#options.clock.after(WRITE_AFTER_MS, () => this.flush());
  }

  /** Writes now. May be called again. */
  flush(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    const { file, onProblem } = this.#options;
    try {
      writePrivateFile(file, `${JSON.stringify({ since: this.#since, peers: Object.fromEntries(this.#counts) }, undefined, 2)}\n`);
    } catch (error) {
      onProblem(error instanceof CcmError ? error.message : String(error));
    }
  }
}

/** A file that is damaged is begun again; that is said. */
function readCounts({ file, clock, onProblem }: CountersOptions): { since: string; counts: Map<string, MessageCounts> } {
  const fresh = { since: new Date(clock.now()).toISOString(), counts: new Map<string, MessageCounts>() };
  try {
    const text = readFileIfPresent(file);
    if (text === undefined) return fresh;
    const { since, peers } = JSON.parse(text) as { since?: unknown; peers?: Record<string, Partial<MessageCounts>> };
    const counts = Object.entries(peers ?? {}).map(([peer, known]): [string, MessageCounts] => [
      peer,
      { sent: countOf(known.sent), received: countOf(known.received), failed: countOf(known.failed) },
    ]);
    return { since: typeof since === "string" ? since : fresh.since, counts: new Map(counts) };
  } catch {
    onProblem(`${file} is damaged; the counters begin again`);
    return fresh;
  }
}

function countOf(value: unknown): number {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : 0;
}
