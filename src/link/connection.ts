import type { Readable, Writable } from "node:stream";
import { linkProtocol } from "../core/build-info.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { CcmError, toCcmError } from "../core/errors.ts";
import { LineReader } from "../core/line-reader.ts";
import { plainLine } from "../core/plain-text.ts";
import { Heartbeat } from "./heartbeat.ts";
import { type Hello, helloSchema, type LinkOp, linkOpSchema, MAX_LINK_LINE_BYTES, refuseSchema } from "./protocol.ts";

/** A byte stream to the other daemon: an ssh channel with its far end joined to that daemon, or a socket from `serve`. */
export interface LinkStream {
  readonly readable: Readable;
  readonly writable: Writable;
  /** Lets go of the stream and of what carries it; may be called more than once. */
  close(): void;
}

/** The other side will not have this link. `reason` is its code for why. */
export class LinkRefused extends CcmError {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super("link_refused", message);
    this.reason = reason;
  }
}

export interface LinkTimings {
  readonly handshakeMs: number;
  readonly pingAfterMs: number;
  readonly deadAfterMs: number;
}

/** A cut cable is noticed within `deadAfterMs` and one check, 15 s in all. */
export const linkTimings: LinkTimings = { handshakeMs: 15_000, pingAfterMs: 3_000, deadAfterMs: 11_000 };

export interface LinkConnectionOptions {
  readonly stream: LinkStream;
  readonly hello: Hello;
  readonly clock?: Clock;
  readonly timings?: LinkTimings;
}

/**
 * One connection of a link, from the exchange of hellos to its end. It knows lines, ops and silence, and nothing of what they
 * are about. After hello a bad line is reported to the other side and skipped.
 */
export class LinkConnection {
  /** Settles with the other side's hello; rejects if the connection ends first. */
  readonly ready: Promise<Hello>;
  /** Settles, never rejects, when the connection has ended, with why. */
  readonly closed: Promise<CcmError>;

  readonly #stream: LinkStream;
  readonly #clock: Clock;
  readonly #timings: LinkTimings;
  readonly #reader: LineReader;
  readonly #ready = Promise.withResolvers<Hello>();
  readonly #closed = Promise.withResolvers<CcmError>();
  readonly #early: LinkOp[] = [];
  #state: "greeting" | "open" | "closed" = "greeting";
  #heartbeat: Heartbeat | undefined;
  #cancelHandshake: () => void;
  #onOp: ((op: LinkOp) => void) | undefined;
  #onDrain: (() => void) | undefined;

  constructor({ stream, clock = systemClock, timings = linkTimings }: Omit<LinkConnectionOptions, "hello">) {
    this.#stream = stream;
    this.#clock = clock;
    this.#timings = timings;
    this.ready = this.#ready.promise;
    this.closed = this.#closed.promise;
    this.ready.catch(() => undefined);
    this.#reader = new LineReader({
      maxBytes: MAX_LINK_LINE_BYTES,
      onLine: (line) => this.#line(line),
      onOverflow: (maxBytes) => this.#badLine(`a line is longer than ${maxBytes} bytes`),
    });
    this.#cancelHandshake = clock.after(timings.handshakeMs, () =>
      this.#end(new CcmError("timeout", `the other ccm said no hello within ${timings.handshakeMs / 1000} s`)),
    );
    stream.readable.on("data", (chunk: Buffer) => this.#data(chunk));
    stream.readable.on("end", () => this.#end(new CcmError("link_down", "the connection was closed by the other side")));
    stream.readable.on("error", (error) => this.#end(linkDown(error)));
    stream.readable.on("close", () => this.#end(new CcmError("link_down", "the connection was lost")));
    stream.writable.on("error", (error) => this.#end(linkDown(error)));
    stream.writable.on("drain", () => this.#onDrain?.());
    // Whoever read the first line has paused it.
    stream.readable.resume();
  }

  greet(hello: Hello): void {
    this.#write(hello);
  }

  /** From now on ops go to `onOp`, those that came meanwhile first. */
  listen(onOp: (op: LinkOp) => void, onDrain: () => void): void {
    this.#onOp = onOp;
    this.#onDrain = onDrain;
    for (const op of this.#early.splice(0)) this.#dispatch(op);
  }

  /** False when the other side is slower than we: hold back what can wait until `onDrain`. */
  send(op: LinkOp): boolean {
    return this.#write(op);
  }

  /** Asks for a sign of life now; without one the connection is dead within two checks. */
  verify(): void {
    this.#heartbeat?.verify();
  }

  /** Reads no more until {@link resume}; meanwhile the other side cannot be called silent. */
  pause(): void {
    this.#heartbeat?.suspend(true);
    this.#stream.readable.pause();
  }

  resume(): void {
    this.#heartbeat?.suspend(false);
    this.#stream.readable.resume();
  }

  /** Says why, and ends the connection. */
  refuse(reason: string, message: string): void {
    this.#write({ op: "refuse", code: reason, message });
    this.#end(new LinkRefused(reason, message));
  }

  /** An orderly end; `final` as in the protocol. */
  close(reason: string, final = false): void {
    this.#write({ op: "bye", reason, final });
    this.#end(new CcmError("link_down", reason));
  }

  /** Ends it at once: the other side is thought to be gone. */
  abandon(error: CcmError): void {
    this.#end(error);
  }

  #data(chunk: Buffer): void {
    this.#heartbeat?.life();
    this.#reader.push(chunk);
  }

  #line(line: string): void {
    if (this.#state === "closed" || line === "") return;
    const value = parseJson(line);
    if (this.#state === "greeting") return this.#greeting(value, line);
    const parsed = linkOpSchema.safeParse(value);
    if (!parsed.success) return this.#badLine(`not understood: ${plainLine(line, 120)}`);
    if (this.#onOp) this.#dispatch(parsed.data);
    else this.#early.push(parsed.data);
  }

  #greeting(value: unknown, line: string): void {
    const refusal = refuseSchema.safeParse(value);
    if (refusal.success) return this.#end(new LinkRefused(refusal.data.code, plainLine(refusal.data.message)));
    const hello = helloSchema.safeParse(value);
    if (!hello.success) {
      return this.#end(new CcmError("protocol_violated", `the other side did not say hello but: ${plainLine(line, 120)}`));
    }
    const { min, max } = hello.data.protocol;
    if (max < linkProtocol.min || min > linkProtocol.max) {
      return this.#end(
        new CcmError(
          "protocol_unsupported",
          `ccm ${plainLine(hello.data.version, 40)} there speaks link protocol ${min} to ${max}, this one ${linkProtocol.min} to ${linkProtocol.max}`,
          {
            hint: "bring both machines to one version of ccm, then: ccm restart",
          },
        ),
      );
    }
    this.#state = "open";
    this.#cancelHandshake();
    this.#heartbeat = new Heartbeat({
      clock: this.#clock,
      pingAfterMs: this.#timings.pingAfterMs,
      deadAfterMs: this.#timings.deadAfterMs,
      sendPing: () => this.#write({ op: "ping" }),
      onDead: () => this.#end(new CcmError("peer_silent", `nothing was heard for ${this.#timings.deadAfterMs / 1000} s`)),
    });
    this.#ready.resolve(hello.data);
  }

  #dispatch(op: LinkOp): void {
    switch (op.op) {
      case "ping":
        this.#write({ op: "pong" });
        return;
      case "pong":
        return;
      case "bye":
        if (op.final) this.#onOp?.(op);
        return this.#end(new CcmError("link_down", `the other side ended the link: ${plainLine(op.reason)}`));
      case "refuse":
        return this.#end(new LinkRefused(op.code, plainLine(op.message)));
      default:
        this.#onOp?.(op);
    }
  }

  #badLine(message: string): void {
    if (this.#state === "greeting") return this.#end(new CcmError("protocol_violated", `before its hello the other side sent ${message}`));
    // A side that does not read is not written to either.
    if (!this.#stream.writable.writableNeedDrain) this.#write({ op: "problem", message });
  }

  #write(value: Hello | LinkOp): boolean {
    if (this.#state === "closed" || !this.#stream.writable.writable) return false;
    return this.#stream.writable.write(`${JSON.stringify(value)}\n`);
  }

  #end(error: CcmError): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#cancelHandshake();
    this.#heartbeat?.stop();
    this.#stream.writable.end();
    this.#stream.close();
    this.#ready.reject(error);
    this.#closed.resolve(error);
  }
}

function linkDown(cause: unknown): CcmError {
  return new CcmError("link_down", `the connection was lost: ${plainLine(toCcmError(cause).message)}`, { cause });
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
