import net from "node:net";
import { createInterface } from "node:readline";
import { CcmError, type ErrorCode, exitCodes } from "../core/errors.ts";
import { LineReader } from "../core/line-reader.ts";
import type { Paths } from "../core/paths.ts";
import type { ControlAnswer, ControlRequest } from "./control-protocol.ts";

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/**
 * The cause of a `daemon_unavailable` where the daemon had the request, or part of it, and ended before it answered: whether it did
 * what was asked is not known. Any other `daemon_unavailable` means that it was never asked.
 */
export class DaemonEnded extends Error {}

/** A connection to the daemon of this machine. Rejects with `daemon_unavailable` when none answers. */
export function connectDaemon(paths: Paths, timeoutMs = 2_000): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(paths.controlSocket);
    const fail = (cause: unknown) => {
      socket.destroy();
      reject(
        new CcmError("daemon_unavailable", `the ccm daemon is not running (nothing answers at ${paths.controlSocket})`, {
          hint: "start it: ccm up",
          cause,
        }),
      );
    };
    socket.setTimeout(timeoutMs, () => fail(new Error(`no connection within ${timeoutMs} ms`)));
    socket.once("error", fail);
    socket.once("connect", () => {
      socket.setTimeout(0);
      socket.off("error", fail);
      resolve(socket);
    });
  });
}

/**
 * One request to the daemon, and its answer. A failure that the daemon reports is thrown as the {@link CcmError} that it was
 * there; `timeout` if no answer comes within `timeoutMs`, `daemon_unavailable` caused by {@link DaemonEnded} if none can come any more.
 */
export async function askDaemon(
  paths: Paths,
  request: ControlRequest,
  options: { timeoutMs: number },
): Promise<ControlAnswer & { ok: true }> {
  const socket = await connectDaemon(paths);
  try {
    return unwrap(await exchange(socket, request, options.timeoutMs));
  } finally {
    socket.destroy();
  }
}

/** The lines of a request that is answered in several, until the daemon ends them or itself, `signal` aborts or the reader stops. */
export async function* followDaemon(
  paths: Paths,
  request: ControlRequest,
  signal?: AbortSignal,
): AsyncGenerator<ControlAnswer & { ok: true }> {
  const socket = await connectDaemon(paths);
  // The end of the lines follows.
  socket.on("error", () => undefined);
  const onAbort = () => socket.destroy();
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    if (signal?.aborted) return;
    socket.write(`${JSON.stringify(request)}\n`);
    for await (const line of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })) {
      const answer = parseAnswer(line);
      if (!answer) return;
      yield unwrap(answer);
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
    socket.destroy();
  }
}

/** Undefined for a line that a daemon's end has cut short. */
function parseAnswer(line: string): ControlAnswer | undefined {
  try {
    return JSON.parse(line) as ControlAnswer;
  } catch {
    return undefined;
  }
}

function unwrap(answer: ControlAnswer): ControlAnswer & { ok: true } {
  if (answer.ok) return answer;
  const { code, message, hint } = answer.error;
  throw new CcmError(isErrorCode(code) ? code : "internal", message, hint === undefined ? {} : { hint });
}

function exchange(socket: net.Socket, request: ControlRequest, timeoutMs: number): Promise<ControlAnswer> {
  return new Promise((resolve, reject) => {
    const reader = new LineReader({
      maxBytes: MAX_ANSWER_BYTES,
      onLine: (line) => resolve(JSON.parse(line) as ControlAnswer),
      onOverflow: () => reject(new CcmError("internal", "the daemon's answer is too long")),
    });
    socket.setTimeout(timeoutMs, () =>
      reject(new CcmError("timeout", `the daemon did not answer "${request.op}" within ${timeoutMs / 1000} s`)),
    );
    socket.on("data", (chunk: Buffer) => reader.push(chunk));
    const end = (cause = new DaemonEnded("it hung up")) =>
      reject(new CcmError("daemon_unavailable", `the daemon ended before it answered "${request.op}"`, { hint: "see ccm status", cause }));
    socket.on("error", (error) => end(new DaemonEnded(error.message)));
    socket.on("close", () => end());
    socket.write(`${JSON.stringify(request)}\n`);
  });
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(exitCodes, code);
}
