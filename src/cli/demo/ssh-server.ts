import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import ssh2, { type AuthContext, type Connection, type ParsedKey, type ServerChannel } from "ssh2";
import type { DemoMachine } from "./demo-machine.ts";

const LOOPBACK = "127.0.0.1";
const USER = "demo";

export interface SshServer {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** As a known_hosts file has it: type and key. */
  readonly hostKey: string;
  /** Ends every connection and command; settles when nothing listens any more. May be called again. */
  close(): Promise<void>;
}

/** An ssh server on loopback that lets one key in and runs commands in a machine's environment, as sshd does for an account. */
export async function startSshServer(machine: DemoMachine, clientPublicKey: string): Promise<SshServer> {
  const hostKey = ssh2.utils.generateKeyPairSync("ed25519");
  const accepted = parseKey(clientPublicKey);
  const connections = new Set<Connection>();
  const commands = new Set<ChildProcessWithoutNullStreams>();
  const server = new ssh2.Server({ hostKeys: [hostKey.private] }, (connection) => {
    connections.add(connection);
    connection.on("close", () => connections.delete(connection));
    // A client that hangs up is no event here.
    connection.on("error", () => {});
    connection.on("authentication", (context) => (isWelcome(context, accepted) ? context.accept() : context.reject(["publickey"])));
    connection.on("session", (accept) => {
      accept().on("exec", (acceptCommand, _reject, { command }) => runCommand(acceptCommand(), command, machine, commands));
    });
  });
  server.listen(0, LOOPBACK);
  await once(server, "listening");
  const closed = once(server, "close");
  const close = async (): Promise<void> => {
    server.close();
    for (const connection of connections) connection.end();
    for (const command of commands) command.kill("SIGKILL");
    await closed;
  };
  return { host: LOOPBACK, port: (server.address() as AddressInfo).port, user: USER, hostKey: hostKey.public.trim(), close };
}

/** ssh asks first whether a key would do, without a signature, and then signs. */
function isWelcome(context: AuthContext, accepted: ParsedKey): boolean {
  if (context.method !== "publickey" || context.username !== USER) return false;
  if (context.key.algo !== accepted.type || !accepted.getPublicSSH().equals(context.key.data)) return false;
  return context.signature === undefined || accepted.verify(context.blob ?? Buffer.alloc(0), context.signature, context.hashAlgo) === true;
}

/** Joins a command to its channel. The end of either end's stream is the end of the other's; the exit status goes last. */
function runCommand(channel: ServerChannel, command: string, machine: DemoMachine, commands: Set<ChildProcessWithoutNullStreams>): void {
  const { home: cwd, environment: env } = machine;
  const child = spawn("/bin/sh", ["-c", command], { cwd, env, detached: true });
  commands.add(child);
  child.stdin.on("error", () => {});
  channel.on("error", () => {});
  channel.pipe(child.stdin);
  child.stdout.pipe(channel, { end: false });
  child.stderr.pipe(channel.stderr, { end: false });
  channel.on("close", () => {
    child.stdin.destroy();
    child.stdout.destroy();
    child.stderr.destroy();
  });
  const finish = (tellExit: () => void): void => {
    commands.delete(child);
    tellExit();
    channel.end();
  };
  child.once("error", () => finish(() => channel.exit(127)));
  child.once("close", (code, signal) =>
    finish(() => (code === null ? channel.exit((signal ?? "SIGTERM").slice("SIG".length)) : channel.exit(code))),
  );
}

function parseKey(text: string): ParsedKey {
  const key = ssh2.utils.parseKey(text);
  if (key instanceof Error) throw key;
  return key;
}
