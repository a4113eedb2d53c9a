import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import ssh2, { type Connection } from "ssh2";
import type { SshTarget } from "../../../src/ssh/ssh-target.ts";
import { defaultTarget } from "../../../src/ssh/target-from-configuration.ts";
import { makeKey } from "./start-sshd.ts";

export interface FaultServer extends AsyncDisposable {
  /** How often a client has tried to authenticate, the empty try included. */
  readonly authentications: () => number;
  target(changes?: Partial<SshTarget>): SshTarget;
}

/** An ssh server that lets everybody in and then does to each connection what the test says. */
export async function startFaultServer(
  directory: string,
  onReady: (connection: Connection, socket: net.Socket) => void,
): Promise<FaultServer> {
  const keyFile = path.join(directory, `fault_${crypto.randomUUID()}`);
  const publicKey = makeKey(keyFile, "ed25519");
  let authentications = 0;
  const sockets = new Set<net.Socket>();
  const server = new ssh2.Server({ hostKeys: [fs.readFileSync(keyFile)] });
  server.on("connection", (connection) => {
    // The socket is not part of ssh2's interface; what pulls a cable has to reach it.
    const socket = (connection as unknown as { _sock: net.Socket })._sock;
    sockets.add(socket);
    connection.on("error", () => {});
    connection.on("authentication", (context) => {
      authentications++;
      context.accept();
    });
    connection.on("ready", () => onReady(connection, socket));
  });
  const listening = await listenTcp(server, sockets);
  return {
    authentications: () => authentications,
    target: (changes = {}) => targetOf(listening.port, `${keyFile}.known`, publicKey, changes),
    [Symbol.asyncDispose]: listening.close,
  };
}

/** A TCP server that accepts and does what the test says, which is no ssh at all. */
export async function startTcpServer(directory: string, onConnection: (socket: net.Socket) => void): Promise<FaultServer> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    onConnection(socket);
  });
  const listening = await listenTcp(server, sockets);
  return {
    authentications: () => 0,
    target: (changes = {}) => targetOf(listening.port, path.join(directory, "none"), undefined, changes),
    [Symbol.asyncDispose]: listening.close,
  };
}

function targetOf(port: number, knownHosts: string, publicKey: string | undefined, changes: Partial<SshTarget>): SshTarget {
  if (publicKey !== undefined) fs.writeFileSync(knownHosts, `[127.0.0.1]:${port} ${publicKey}\n`);
  const target = defaultTarget("127.0.0.1", { host: "127.0.0.1", user: "nobody", port }, {});
  return { ...target, identityFiles: [], identityAgent: "none", knownHostsFiles: [knownHosts], ...changes };
}

/** Closing also ends what is still connected. */
async function listenTcp(
  server: net.Server | ssh2.Server,
  sockets: ReadonlySet<net.Socket>,
): Promise<{ port: number; close: () => Promise<void> }> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { port, close };
}
