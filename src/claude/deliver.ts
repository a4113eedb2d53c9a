import net from "node:net";
import { type Clock, systemClock } from "../core/clock.ts";
import { CcmError, systemErrorCode } from "../core/errors.ts";
import { authLine } from "./auth-line.ts";
import { findSocket } from "./find-socket.ts";
import { type Frame, MAX_LINE_CHARACTERS } from "./frames.ts";

/** How long a receiver may take to read and hang up. Claude Code does so 60 to 80 ms after the sender's end. */
export const DELIVERY_DEADLINE_MS = 5_000;

export interface Delivery {
  readonly socketPath: string;
  /** The receiver's; undefined where it has no key (then it must be one that asks for none). */
  readonly token: string | undefined;
  readonly frame: Frame;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

export interface BatchDelivery extends Omit<Delivery, "frame" | "token"> {
  /** As {@link frameLine} makes them. */
  readonly lines: readonly string[];
  /** Asked when the receiver has been connected to, which wakes it up meanwhile, and before anything is written. May throw. */
  readonly token: () => string | undefined;
}

/**
 * Writes one frame into an inbox: connects, writes, ends its side, and waits for the receiver to hang up. Resolved means
 * written: the receiver's kernel has taken every byte; what its session makes of it is not known here. A receiver that does
 * not hang up within 5 s counts as written to all the same.
 * Rejects with `too_large` before anything is written, with `undeliverable` if the receiver cannot have the whole frame, and
 * with `unconfirmed` if `signal` aborts when it may have it.
 */
export async function deliver({ frame, token, ...delivery }: Delivery): Promise<void> {
  await deliverBatch({ ...delivery, lines: [frameLine(frame)], token: () => token });
}

/**
 * Several frames in their order through one connection, which Claude Code takes as well and answers no later than one alone.
 * Rejects as {@link deliver} does, but with `unconfirmed` once some of them may have been read.
 */
export async function deliverBatch(delivery: BatchDelivery): Promise<void> {
  const { socketPath, lines, token } = delivery;
  const found = findSocket(socketPath);
  if (found.fault) throw undeliverable(socketPath, found.detail);
  await writeAndAwaitClose(delivery, () => {
    const presented = token();
    const auth = presented === undefined ? "" : `${authLine(presented)}\n`;
    for (const line of lines) checkLength(auth.length + line.length);
    return auth + lines.join("");
  });
}

/** A frame on the wire. Throws `too_large`; Claude Code counts in the auth line that goes before it. */
export function frameLine(frame: Frame, authCharacters = 0): string {
  const line = `${JSON.stringify(frame)}\n`;
  checkLength(authCharacters + line.length);
  return line;
}

function checkLength(characters: number): void {
  if (characters <= MAX_LINE_CHARACTERS) return;
  throw new CcmError("too_large", `the message takes ${characters} characters on the wire; the limit is ${MAX_LINE_CHARACTERS}`, {
    hint: "shorten it, or put it into a file and send the path",
  });
}

function writeAndAwaitClose({ socketPath, lines, signal, clock = systemClock }: BatchDelivery, textOf: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    let progress: "connecting" | "writing" | "taken" = "connecting";
    if (signal?.aborted) return reject(undeliverable(socketPath, "given up"));
    const socket = net.connect({ path: socketPath, allowHalfOpen: true });
    const settle = (error?: unknown) => {
      cancelDeadline();
      signal?.removeEventListener("abort", onAbort);
      socket.destroy();
      if (error) reject(error);
      else resolve();
    };
    /** One frame that was cut short cannot have been read as one; of several, the first may have been. */
    const fail = (reason: string) =>
      settle(progress === "connecting" || lines.length === 1 ? undeliverable(socketPath, reason) : unconfirmed(socketPath, reason));
    const onAbort = () => (progress === "taken" ? settle(unconfirmed(socketPath, "given up before its owner hung up")) : fail("given up"));
    const cancelDeadline = clock.after(DELIVERY_DEADLINE_MS, () =>
      progress === "taken" ? settle() : fail(`its owner has not read the message within ${DELIVERY_DEADLINE_MS / 1000} s`),
    );
    signal?.addEventListener("abort", onAbort);
    let text: string;
    try {
      text = textOf();
    } catch (error) {
      return settle(error);
    }
    socket.on("connect", () => {
      progress = "writing";
      socket.end(text);
    });
    socket.on("finish", () => {
      progress = "taken";
    });
    socket.on("close", () => (progress === "taken" ? settle() : fail("its owner hung up before it had the whole message")));
    // Also after the last byte: a reset then says that the receiver went away without having read them all.
    socket.on("error", (error) => fail(REASONS[systemErrorCode(error) ?? ""] ?? error.message));
    socket.resume();
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody listens there any more",
  ENOENT: "no such socket",
  ECONNRESET: "its owner went away without reading the message",
  EPIPE: "its owner hung up before it had the whole message",
  EACCES: "permission denied",
};

function undeliverable(socketPath: string, reason: string): CcmError {
  return new CcmError("undeliverable", `cannot write to ${socketPath}: ${reason}`);
}

function unconfirmed(socketPath: string, reason: string): CcmError {
  return new CcmError("unconfirmed", `perhaps written to ${socketPath}: ${reason}`);
}
