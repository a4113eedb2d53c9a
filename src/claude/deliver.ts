import fs from "node:fs";
import net from "node:net";
import { type Clock, systemClock } from "../core/clock.ts";
import { CcmError, systemErrorCode } from "../core/errors.ts";
import { authLine } from "./auth-line.ts";
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

/**
 * Writes one frame into an inbox: connects, writes, ends its side, and waits for the receiver to hang up. Resolved means
 * written: the receiver's kernel has taken every byte; what its session makes of it is not known here. A receiver that does
 * not hang up within 5 s counts as written to all the same.
 * Rejects with `too_large` before anything is written, with `undeliverable` if the receiver cannot have the whole frame, and
 * with `unconfirmed` if `signal` aborts when it may have it.
 */
export async function deliver(delivery: Delivery): Promise<void> {
  const lines = [...(delivery.token === undefined ? [] : [authLine(delivery.token)]), JSON.stringify(delivery.frame)];
  const text = `${lines.join("\n")}\n`;
  if (text.length > MAX_LINE_CHARACTERS) {
    throw new CcmError("too_large", `the message takes ${text.length} characters on the wire; the limit is ${MAX_LINE_CHARACTERS}`, {
      hint: "shorten it, or put it into a file and send the path",
    });
  }
  refuseWhatIsNoSocketOfOurs(delivery.socketPath);
  await writeAndAwaitClose(delivery, text);
}

function refuseWhatIsNoSocketOfOurs(socketPath: string): void {
  const found = fs.lstatSync(socketPath, { throwIfNoEntry: false });
  if (!found) throw undeliverable(socketPath, "no such socket");
  if (!found.isSocket()) throw undeliverable(socketPath, found.isSymbolicLink() ? "a symlink" : "not a socket");
  if (found.uid !== process.geteuid?.()) throw undeliverable(socketPath, `a socket of uid ${found.uid}`);
}

function writeAndAwaitClose({ socketPath, signal, clock = systemClock }: Delivery, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let taken = false;
    const socket = net.connect({ path: socketPath, allowHalfOpen: true });
    const settle = (error?: CcmError) => {
      cancelDeadline();
      signal?.removeEventListener("abort", onAbort);
      socket.destroy();
      if (error) reject(error);
      else resolve();
    };
    const onAbort = () => settle(taken ? unconfirmed(socketPath) : undeliverable(socketPath, "given up before it was written"));
    const cancelDeadline = clock.after(DELIVERY_DEADLINE_MS, () =>
      settle(taken ? undefined : undeliverable(socketPath, `its owner has not read the message within ${DELIVERY_DEADLINE_MS / 1000} s`)),
    );
    if (signal?.aborted) return onAbort();
    signal?.addEventListener("abort", onAbort);
    socket.on("connect", () => socket.end(text));
    socket.on("finish", () => {
      taken = true;
    });
    socket.on("close", () => settle(taken ? undefined : undeliverable(socketPath, "its owner hung up before it had the whole message")));
    // Also after the last byte: a reset then says that the receiver went away without having read them all.
    socket.on("error", (error) => settle(undeliverable(socketPath, systemErrorCode(error) ?? error.message)));
    socket.resume();
  });
}

function undeliverable(socketPath: string, reason: string): CcmError {
  return new CcmError("undeliverable", `cannot write to ${socketPath}: ${REASONS[reason] ?? reason}`);
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody listens there any more",
  ENOENT: "no such socket",
  ECONNRESET: "its owner went away without reading the message",
  EPIPE: "its owner hung up before it had the whole message",
  EACCES: "permission denied",
};

function unconfirmed(socketPath: string): CcmError {
  return new CcmError("unconfirmed", `written to ${socketPath}, but given up before its owner hung up`);
}
