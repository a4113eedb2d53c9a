import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { toCcmError } from "../core/errors.ts";
import { takeFirstLine } from "../core/first-line.ts";
import { ensurePrivateDirectory } from "../core/private-file.ts";
import type { LinkStream } from "../link/connection.ts";
import type { ControlAnswer, ControlRequest } from "./control-protocol.ts";
import { errorReport } from "./daemon-status.ts";

const MAX_REQUEST_BYTES = 8 * 1024 * 1024;
const REQUEST_DEADLINE_MS = 10_000;
const DRAIN_DEADLINE_MS = 1_000;

export type AnsweredRequest = Exclude<ControlRequest, { op: "link" }>;

export interface ControlServerOptions {
  readonly socketPath: string;
  /** `tell` writes a line before the answer; `hungUp` aborts when nobody waits for it any more. */
  readonly answer: (request: AnsweredRequest, tell: (line: ControlAnswer) => void, hungUp: AbortSignal) => Promise<ControlAnswer>;
  readonly onLink: (stream: LinkStream) => void;
}

export interface ControlServer {
  /** Takes nothing new; settles when all connections have ended, or after a second. */
  close(): Promise<void>;
}

/**
 * Listens for this user's commands and for `serve`. The caller holds the daemon's lock: a socket that lies here is a dead one's.
 */
export async function listenControl({ socketPath, answer, onLink }: ControlServerOptions): Promise<ControlServer> {
  ensurePrivateDirectory(path.dirname(socketPath));
  fs.rmSync(socketPath, { force: true });
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    void serveConnection(socket, answer, onLink);
  });
  const umask = process.umask(0o077);
  try {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once("error", reject).listen(socketPath, resolve);
    await promise;
  } finally {
    process.umask(umask);
  }
  return {
    close: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      setTimeout(resolve, DRAIN_DEADLINE_MS).unref();
      return promise;
    },
  };
}

async function serveConnection(
  socket: net.Socket,
  answer: ControlServerOptions["answer"],
  onLink: (stream: LinkStream) => void,
): Promise<void> {
  try {
    const request = JSON.parse(
      await takeFirstLine(socket, { maxBytes: MAX_REQUEST_BYTES, timeoutMs: REQUEST_DEADLINE_MS }),
    ) as ControlRequest;
    if (request.op === "link") {
      onLink({ readable: socket, writable: socket, close: () => socket.destroySoon() });
      return;
    }
    const hungUp = new AbortController();
    // Nobody ends only his half: who has asked and ends it has gone, and this half would stay open.
    for (const event of ["end", "close"]) socket.on(event, () => hungUp.abort());
    socket.resume();
    const tell = (line: ControlAnswer) => socket.write(`${JSON.stringify(line)}\n`);
    tell(await answer(request, tell, hungUp.signal));
    socket.end();
  } catch (error) {
    // Whoever read the first line has paused it: unread, its end would never be seen.
    socket.resume();
    socket.end(`${JSON.stringify({ ok: false, error: errorReport(toCcmError(error)) } satisfies ControlAnswer)}\n`);
  }
}
