import { randomBytes } from "node:crypto";
import { toJson } from "../core/json.ts";
import type { FrameOp, OutcomeOp, OutcomeState, SequencedOp } from "./protocol.ts";

/** What became of a frame that was put into an {@link Outbox}. */
export interface Outcome {
  readonly state: OutcomeState;
  readonly reason?: string | undefined;
}

export interface OutboxLimits {
  readonly maxBytes: number;
  readonly maxEntries: number;
}

export const outboxLimits: OutboxLimits = { maxBytes: 64 * 1024 * 1024, maxEntries: 10_000 };

type Unnumbered<Op> = Op extends unknown ? Omit<Op, "seq"> : never;

interface Entry {
  op: SequencedOp;
  readonly bytes: number;
  /** Frames only, as the next. */
  readonly settle: ((outcome: Outcome) => void) | undefined;
  /** Called the first time that the frame is written to a connection. */
  onSent: (() => void) | undefined;
}

/**
 * What this side sends in order and exactly once: numbered, kept until the other daemon has it, sent again after a reconnect
 * to the same daemon. Every frame's promise settles: with the outcome that the other side reports, or with what is known when
 * no report can come any more.
 */
export class Outbox {
  readonly #limits: OutboxLimits;
  #stream = randomBytes(8).toString("hex");
  #nextSeq = 1;
  #bytes = 0;
  /** Not yet acknowledged, in order. */
  #entries: Entry[] = [];
  /** How many of the entries have been written to the connection; they are the first ones. */
  #sentCount = 0;
  /** Taken by the other daemon, outcome not yet reported. */
  readonly #accepted = new Map<number, (outcome: Outcome) => void>();
  /** Frames that wait until they may be sent, not numbered yet. */
  #held: Entry[] = [];
  #isHeld: (op: SequencedOp) => boolean = () => false;

  constructor(limits: OutboxLimits = outboxLimits) {
    this.#limits = limits;
  }

  get stream(): string {
    return this.#stream;
  }

  /** Frames whose outcome is not known yet. */
  get pendingFrames(): number {
    return this.#accepted.size + [...this.#entries, ...this.#held].filter((entry) => entry.settle).length;
  }

  /** Nothing is under way: all but what is held is over there, and what became of it is known. */
  get isQuiet(): boolean {
    return this.#accepted.size + this.#entries.length === 0;
  }

  /** From now until {@link release} such ops wait if they have not been sent; the others go on, past them. */
  hold(isHeld: (op: SequencedOp) => boolean): void {
    this.#isHeld = isHeld;
    const unsent = this.#entries.splice(this.#sentCount);
    this.#nextSeq -= unsent.length;
    for (const entry of unsent) this.#number(entry);
  }

  release(): void {
    this.#isHeld = () => false;
    for (const entry of this.#held.splice(0)) this.#number(entry);
  }

  addFrame(frame: Unnumbered<FrameOp>, onSent?: () => void): Promise<Outcome> {
    const bytes = toJson(frame.frame)?.length;
    if (bytes === undefined) return Promise.resolve({ state: "refused", reason: "it is nested too deeply" });
    if (this.#entries.length + this.#held.length >= this.#limits.maxEntries || this.#bytes + bytes > this.#limits.maxBytes) {
      return Promise.resolve({ state: "undeliverable", reason: "too much is waiting for that machine already" });
    }
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#add({ op: { ...frame, seq: 0 }, bytes, settle: resolve, onSent });
    return promise;
  }

  /** Outcomes are small and owed: no limit keeps them out. */
  addOutcome(outcome: Unnumbered<OutcomeOp>): void {
    this.#add({ op: { ...outcome, seq: 0 }, bytes: 0, settle: undefined, onSent: undefined });
  }

  /** The next op to write to the connection, marked as sent. */
  next(): SequencedOp | undefined {
    const entry = this.#entries[this.#sentCount];
    if (!entry) return undefined;
    this.#sentCount += 1;
    entry.onSent?.();
    entry.onSent = undefined;
    return entry.op;
  }

  /** The other daemon has everything up to `seq`. */
  acknowledged(seq: number): void {
    const left = this.#entries.findIndex((entry) => entry.op.seq > seq);
    const taken = this.#entries.splice(0, left === -1 ? this.#entries.length : left);
    this.#sentCount = Math.max(0, this.#sentCount - taken.length);
    for (const entry of taken) {
      this.#bytes -= entry.bytes;
      if (entry.settle) this.#accepted.set(entry.op.seq, entry.settle);
    }
  }

  /** The other side reports what became of frame `seq`; a report about another stream, or a second one, changes nothing. */
  settle(stream: string, seq: number, outcome: Outcome): void {
    if (stream !== this.#stream) return;
    this.acknowledged(seq);
    this.#accepted.get(seq)?.(outcome);
    this.#accepted.delete(seq);
  }

  /**
   * A new connection to the same machine, which has received this stream as it says. What it lacks goes out again; if it
   * remembers another stream or none, then what was sent is unconfirmed, and what was not starts a new stream.
   */
  resume(received: { readonly stream: string; readonly seq: number } | null): void {
    if (received?.stream === this.#stream && received.seq < this.#nextSeq) {
      this.acknowledged(received.seq);
      this.#sentCount = 0;
      return;
    }
    const lost = this.#entries.slice(0, this.#sentCount);
    // An outcome is about a stream that the other side has forgotten.
    this.#startAfresh(this.#entries.slice(this.#sentCount).filter((entry) => entry.settle));
    for (const entry of lost) entry.settle?.(unconfirmed);
  }

  /** Nothing more will be sent or reported. */
  abandon(reason: string): void {
    this.release();
    const left = this.#entries;
    const sentCount = this.#sentCount;
    this.#startAfresh([]);
    for (const [index, entry] of left.entries()) entry.settle?.(index < sentCount ? unconfirmed : { state: "undeliverable", reason });
  }

  #add(entry: Entry): void {
    this.#bytes += entry.bytes;
    this.#number(entry);
  }

  #number(entry: Entry): void {
    if (this.#isHeld(entry.op)) {
      this.#held.push(entry);
      return;
    }
    entry.op = { ...entry.op, seq: this.#nextSeq++ };
    this.#entries.push(entry);
  }

  #startAfresh(entries: Entry[]): void {
    this.#stream = randomBytes(8).toString("hex");
    this.#nextSeq = 1;
    for (const entry of entries) entry.op = { ...entry.op, seq: this.#nextSeq++ };
    this.#entries = entries;
    this.#sentCount = 0;
    this.#bytes = [...entries, ...this.#held].reduce((sum, entry) => sum + entry.bytes, 0);
    const accepted = [...this.#accepted.values()];
    this.#accepted.clear();
    for (const settle of accepted) settle(unconfirmed);
  }
}

const unconfirmed: Outcome = {
  state: "unconfirmed",
  reason: "the connection ended before the other machine told what became of it",
};
