import fs from "node:fs";
import http from "node:http";
import type { Socket } from "node:net";
import path from "node:path";
import { getRequestListener } from "@hono/node-server";
import { findSocket } from "../claude/find-socket.ts";
import { probeSocket } from "../claude/probe-socket.ts";
import { CcmError, systemErrorCode } from "../core/errors.ts";
import { ensurePrivateDirectory } from "../core/private-file.ts";
import { type Door, guard } from "./guard.ts";
import type { ListenAddress } from "./listen-address.ts";
import { PROBLEM_TYPE, Problem, type ProblemStatus, toProblem } from "./problem.ts";
import type { RateLimit } from "./rate-limit.ts";

export interface HttpDoorOptions {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly limit: RateLimit;
  readonly onProblem: (message: string) => void;
}

/** One place at which the API listens. */
export interface HttpDoor {
  /** Takes nothing new, and ends every connection, after a moment also those that are in use. May be called again. */
  close(): Promise<void>;
}

/** A client that says nothing or little must not hold a connection for long; a stream of events is an answer and not concerned. */
const SERVER_OPTIONS: http.ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
  // The guard says it in the one format of problems.
  requireHostHeader: false,
};
const MAX_CONNECTIONS = 256;
const LAST_ANSWERS_MS = 300;
const READABLE_BY_OTHERS = 0o077;

/**
 * Listens on a Unix socket of this user alone (0600, in a directory of his own). A dead one that lies there is replaced. Rejects with
 * `already_running` where someone answers on it, `socket_directory_unsafe`, and `state_unusable`.
 */
export async function openSocketDoor(socketPath: string, options: HttpDoorOptions): Promise<HttpDoor> {
  ensurePrivateDirectory(path.dirname(socketPath));
  requirePrivate(path.dirname(socketPath));
  await removeDead(socketPath);
  const server = createServer({ kind: "socket" }, options);
  const umask = process.umask(0o077);
  try {
    await listen(server, { path: socketPath }, socketPath);
    fs.chmodSync(socketPath, 0o600);
  } finally {
    process.umask(umask);
  }
  return { close: closer(server) };
}

/** Listens at a port; 0 is any that is free, and `address` is where it is then. Rejects with `state_unusable`. */
export async function openPortDoor(
  { host, port }: ListenAddress,
  token: string,
  options: HttpDoorOptions,
): Promise<HttpDoor & { readonly address: ListenAddress }> {
  const door = { kind: "port" as const, address: { host, port }, token };
  const server = createServer(door, options);
  await listen(server, { host, port }, `${host}:${port}`);
  const bound = server.address();
  if (typeof bound === "object" && bound !== null) door.address = { host, port: bound.port };
  return { address: door.address, close: closer(server) };
}

function createServer(door: Door, { fetch, limit, onProblem }: HttpDoorOptions): http.Server {
  const serve = getRequestListener(fetch, { overrideGlobalObjects: false });
  const server = http.createServer(SERVER_OPTIONS, (request, response) => {
    response.setHeader("X-Content-Type-Options", "nosniff");
    try {
      guard({ headers: request.headers, remoteAddress: request.socket.remoteAddress }, door, limit);
    } catch (error) {
      refuse(
        response,
        toProblem(error, ({ message }) => onProblem(message)),
      );
      return;
    }
    // Whatever a client at the socket calls it: an address is made of it.
    request.headers.host = "localhost";
    void serve(request, response);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on("clientError", refuseMalformed);
  // CONNECT, and an Upgrade that nothing here knows.
  server.on("connect", (_request, socket) => socket.destroy());
  return server;
}

/** Nothing of the body was read. */
function refuse(response: http.ServerResponse, { status, document, headers }: Problem): void {
  response.writeHead(status, { "Content-Type": PROBLEM_TYPE, "Cache-Control": "no-store", ...headers, Connection: "close" });
  response.end(JSON.stringify(document));
}

const malformed: Readonly<Record<string, ProblemStatus>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** What is no HTTP, or takes too long to become a request. */
function refuseMalformed(error: Error, socket: Socket): void {
  if (!socket.writable || systemErrorCode(error) === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const status = malformed[systemErrorCode(error) ?? ""] ?? 400;
  const { document } = new Problem(status, { code: "malformed_request", detail: "this is not a request that can be read" });
  const body = JSON.stringify(document);
  const head = [
    `HTTP/1.1 ${status} ${document.title}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

function listen(server: http.Server, place: { path: string } | ListenAddress, shown: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(
        new CcmError("state_unusable", `api: cannot listen on ${shown}: ${systemErrorCode(error) ?? error.message}`, { cause: error }),
      ),
    );
    server.listen(place, () => {
      server.removeAllListeners("error");
      resolve();
    });
  });
}

/** What is being answered gets a moment; whoever only listens has been told by then. */
function closer(server: http.Server): () => Promise<void> {
  let closed: Promise<void> | undefined;
  return () => {
    closed ??= new Promise((resolve) => {
      const timer = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS);
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    return closed;
  };
}

function requirePrivate(directory: string): void {
  const found = fs.lstatSync(directory);
  if (found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & READABLE_BY_OTHERS) === 0) return;
  throw new CcmError("socket_directory_unsafe", `api: ${directory} is not a directory of this user alone`, {
    hint: `chmod 700 ${directory}, or name another place: --socket PATH`,
  });
}

async function removeDead(socketPath: string): Promise<void> {
  const found = findSocket(socketPath);
  if (found.fault === "missing") return;
  if (found.fault) throw new CcmError("state_unusable", `api: ${socketPath} is in the way: ${found.detail}`);
  if (await probeSocket(socketPath)) {
    throw new CcmError("already_running", `api: someone answers on ${socketPath} already`, { hint: "take another name: --name NAME" });
  }
  fs.rmSync(socketPath, { force: true });
}
