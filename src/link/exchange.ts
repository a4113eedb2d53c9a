import { type Frame, isIdleSubscription, isUserFrame } from "../claude/frames.ts";
import type { Clock } from "../core/clock.ts";
import { CcmError } from "../core/errors.ts";
import { toJson } from "../core/json.ts";
import { plainLine } from "../core/plain-text.ts";
import { Arrivals } from "./arrivals.ts";
import type { LinkConnection } from "./connection.ts";
import { Outbox, type Outcome } from "./outbox.ts";
import { DRAIN_FEATURE, type FrameOp, type Hello, type LinkOp } from "./protocol.ts";

/** Frames of the other machine that are being written here: above the one nothing more is read from it, until below the other. */
export const inboundLimits = { pauseAtBytes: 16 * 1024 * 1024, resumeAtBytes: 4 * 1024 * 1024 };

/** What the other side keeps for us longer than needed is bounded by both. */
const ACK_AFTER_MS = 200;
const ACK_EVERY = 32;
/** How long a planned end waits for what is under way: a delivery into an inbox takes milliseconds, one that is stuck 5 s and more. */
const DRAIN_MS = 5_000;

export interface ExchangeOptions {
  readonly clock: Clock;
  /** Writes a frame where it belongs; settles with what became of it, never rejects. Called in the order of arrival. */
  readonly onFrame: (op: FrameOp) => Promise<Outcome>;
}

interface Draining {
  readonly reason: string;
  readonly settle: () => void;
}

/**
 * The sequenced half of a link: frames and outcomes, each handled once and in order, over whatever connection there is. See
 * "Resuming" in PROTOCOL.md.
 */
export class Exchange {
  readonly #onFrame: ExchangeOptions["onFrame"];
  readonly #clock: Clock;
  readonly #outbox = new Outbox();
  readonly #arrivals = new Arrivals();
  #connection: LinkConnection | undefined;
  #resumed = false;
  #unacknowledged = 0;
  #cancelAck: (() => void) | undefined;
  #inboundBytes = 0;
  #beingWritten = 0;
  #abandoned: string | undefined;
  #draining: Draining | undefined;
  #otherHolds = false;

  constructor({ onFrame, clock }: ExchangeOptions) {
    this.#onFrame = onFrame;
    this.#clock = clock;
  }

  /** Goes on over a new connection. */
  open(connection: LinkConnection, hello: Pick<Hello, "features">): void {
    this.#connection = connection;
    this.#resumed = false;
    this.#outbox.release();
    // A build that cannot hold back is not waited for.
    this.#otherHolds = !hello.features?.includes(DRAIN_FEATURE);
    connection.send({ op: "resume", received: this.#arrivals.received });
    this.#regulate();
  }

  /** The connection is gone; what is added waits for the next. */
  suspend(): void {
    this.#connection = undefined;
    this.#resumed = false;
    this.#cancelAck?.();
    this.#cancelAck = undefined;
    this.#checkDrained();
  }

  /**
   * Before a planned end: takes no message from here any more, asks the other side to hold its own back, and settles when all that had been
   * sent either way is where it belongs and both sides know; or when the connection ends, or after 5 s. Receipts and notices still go.
   */
  async drain(reason: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.after(DRAIN_MS, resolve);
    this.#draining = { reason, settle: resolve };
    if (!this.#otherHolds) this.#connection?.send({ op: "drain" });
    this.#checkDrained();
    await promise.finally(cancel);
  }

  /** Nothing more will be sent or reported: every frame's promise settles, that of one which still comes as well. */
  abandon(reason: string): void {
    this.#abandoned = reason;
    this.suspend();
    this.#outbox.abandon(reason);
  }

  /** Settles with what became of the frame, never rejects; `onSent` when it was first written to a connection. */
  send(frame: Omit<FrameOp, "seq" | "op">, onSent: () => void): Promise<Outcome> {
    const refusal = this.#abandoned ?? (isRequest(frame.frame) ? this.#draining?.reason : undefined);
    if (refusal !== undefined) return Promise.resolve({ state: "undeliverable", reason: refusal });
    const outcome = this.#outbox.addFrame({ op: "frame", ...frame }, onSent);
    this.pump();
    return outcome;
  }

  /** Writes what waits, as far as the connection takes it. */
  pump(): void {
    const connection = this.#connection;
    if (!connection || !this.#resumed) return;
    for (let op = this.#outbox.next(); op; op = this.#outbox.next()) if (!connection.send(op)) return;
  }

  /** Takes an op of this half; false for one that is not. */
  receive(op: LinkOp): boolean {
    switch (op.op) {
      case "resume":
        this.#resume(op.received);
        return true;
      case "stream":
        this.#arrivals.follow(op.stream);
        return true;
      case "frame":
        if (this.#isNew(op.seq)) void this.#handle(op);
        return true;
      case "outcome":
        if (this.#isNew(op.seq)) this.#outbox.settle(op.stream, op.of, { state: op.state, reason: op.reason && plainLine(op.reason) });
        this.#checkDrained();
        return true;
      case "ack":
        this.#outbox.acknowledged(op.seq);
        this.pump();
        this.#checkDrained();
        return true;
      case "drain":
        this.#outbox.hold((held) => held.op === "frame" && isRequest(held.frame));
        this.pump();
        this.#connection?.send({ op: "holding" });
        return true;
      case "holding":
        this.#otherHolds = true;
        this.#checkDrained();
        return true;
      default:
        return false;
    }
  }

  #resume(received: { stream: string; seq: number } | null): void {
    this.#outbox.resume(received);
    this.#resumed = true;
    this.#connection?.send({ op: "stream", stream: this.#outbox.stream });
    this.pump();
  }

  #isNew(seq: number): boolean {
    const arrival = this.#arrivals.take(seq);
    if (arrival === "gap") {
      this.#arrivals.forget();
      this.#connection?.abandon(new CcmError("protocol_violated", `the other side skipped to ${seq} in its sequence; starting afresh`));
      return false;
    }
    this.#acknowledgeSoon();
    return arrival === "new";
  }

  /**
   * An outcome acknowledges its frame and everything before it, so in a quiet exchange no ack is needed at all: one follows after
   * a while, or at once when much has come in without.
   */
  #acknowledgeSoon(): void {
    this.#unacknowledged += 1;
    if (this.#unacknowledged >= ACK_EVERY) return this.#acknowledge();
    this.#cancelAck ??= this.#clock.after(ACK_AFTER_MS, () => this.#acknowledge());
  }

  #acknowledge(): void {
    this.#cancelAck?.();
    this.#cancelAck = undefined;
    this.#unacknowledged = 0;
    const seq = this.#arrivals.received?.seq;
    if (seq) this.#connection?.send({ op: "ack", seq });
  }

  async #handle(op: FrameOp): Promise<void> {
    const stream = this.#arrivals.received?.stream;
    this.#beingWritten += 1;
    const delivery = this.#onFrame(op);
    // Measured while it is being written.
    const bytes = toJson(op.frame)?.length ?? 0;
    this.#inboundBytes += bytes;
    this.#regulate();
    const outcome = await delivery;
    this.#beingWritten -= 1;
    this.#inboundBytes -= bytes;
    this.#regulate();
    if (stream !== undefined) this.#outbox.addOutcome({ op: "outcome", of: op.seq, stream, ...outcome });
    this.pump();
    this.#checkDrained();
  }

  #checkDrained(): void {
    const isQuiet = this.#otherHolds && this.#beingWritten === 0 && this.#outbox.isQuiet;
    if (!this.#connection || isQuiet) this.#draining?.settle();
  }

  /** A machine that sends more than is taken here waits; others do not. */
  #regulate(): void {
    if (this.#inboundBytes >= inboundLimits.pauseAtBytes) this.#connection?.pause();
    else if (this.#inboundBytes <= inboundLimits.resumeAtBytes) this.#connection?.resume();
  }
}

/** Something that begins with this frame and can begin later; receipts and notices end what has begun. */
function isRequest(frame: Frame): boolean {
  return isUserFrame(frame) || isIdleSubscription(frame);
}
