import fs from "node:fs";
import net from "node:net";
import { type Clock, systemClock } from "../core/clock.ts";
import { CcmError, systemErrorCode } from "../core/errors.ts";
import type { Client } from "./admission/self-sent.ts";
import { findSocket } from "./find-socket.ts";
import { type Frame, MAX_LINE_CHARACTERS } from "./frames.ts";
import { InboxConnection } from "./inbox-connection.ts";
import { probeSocket } from "./probe-socket.ts";

export interface InboxOptions {
  readonly socketPath: string;
  /** What a client must present first; without it nothing that it sends arrives. */
  readonly token: string;
  /** Does as well, for processes that the owner of the inbox started. */
  readonly childToken?: string;
  /** Whether `onFrame` is told which process has connected, where the kernel can be asked. */
  readonly identifyClients?: boolean;
  /** The client is hung up on only when a promise that this returns has settled: until then it knows that its message may not be taken. */
  readonly onFrame: (frame: Frame, client: Client) => unknown;
  /** One line for the log about something that a client did wrong. */
  readonly onProblem: (message: string) => void;
  readonly clock?: Clock;
  /** For tests; {@link MAX_LINE_CHARACTERS} otherwise. */
  readonly maxLineCharacters?: number;
}

export interface Inbox {
  readonly socketPath: string;
  /** Ends all connections and removes the socket. Settles when both are done; may be called again. */
  close(): Promise<void>;
}

/**
 * Listens on a Unix socket (mode 0600) as a session's inbox. A socket of ours that nobody listens on any more is replaced.
 * Rejects with `state_unusable`. Nothing that a client sends can throw out of it.
 */
export async function listenInbox(options: InboxOptions): Promise<Inbox> {
  const connections = new Set<InboxConnection>();
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    const connection = new InboxConnection(socket, {
      ...options,
      clock: options.clock ?? systemClock,
      maxLineCharacters: options.maxLineCharacters ?? MAX_LINE_CHARACTERS,
      onClose: () => connections.delete(connection),
    });
    connections.add(connection);
  });
  await removeStaleSocket(options.socketPath);
  await bind(server, options.socketPath);
  server.on("error", (error) => options.onProblem(`inbox: ${error.message}`));
  let closed: Promise<void> | undefined;
  return {
    socketPath: options.socketPath,
    close() {
      closed ??= new Promise((resolve) => {
        server.close(() => resolve());
        for (const connection of connections) connection.destroy();
      });
      return closed;
    },
  };
}

function bind(server: net.Server, socketPath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(unusable(socketPath, error)));
    server.listen(socketPath, () => {
      server.removeAllListeners("error");
      fs.chmodSync(socketPath, 0o600);
      resolve();
    });
  });
}

async function removeStaleSocket(socketPath: string): Promise<void> {
  if (findSocket(socketPath).fault || (await probeSocket(socketPath))) return;
  fs.rmSync(socketPath, { force: true });
}

function unusable(socketPath: string, cause: Error): CcmError {
  return new CcmError("state_unusable", `cannot listen on ${socketPath}: ${systemErrorCode(cause) ?? cause.message}`, { cause });
}
