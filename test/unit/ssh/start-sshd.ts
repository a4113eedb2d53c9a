import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import type { SshTarget } from "../../../src/ssh/ssh-target.ts";
import { defaultTarget } from "../../../src/ssh/target-from-configuration.ts";

const SSHD = ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/opt/homebrew/sbin/sshd"].find((file) => fs.existsSync(file));

/** A reason to skip, or false: what `test`'s `skip` option takes. */
export const noSshd = SSHD === undefined ? "there is no OpenSSH server here" : false;

export type KeyType = "ed25519" | "ecdsa" | "rsa";

export interface TestSshd extends AsyncDisposable {
  readonly directory: string;
  /** HOME of what it starts, empty at first. */
  readonly home: string;
  readonly port: number;
  /** Private key files that it lets in: ed25519 without a passphrase. */
  readonly identity: string;
  readonly knownHosts: string;
  /** Public host keys as `TYPE BASE64`, of the types that were asked for. */
  readonly hostKeys: Readonly<Record<string, string>>;
  /** How this server is reached; with its ed25519 key in known_hosts. */
  target(changes?: Partial<SshTarget>): SshTarget;
  /** Lets another public key in. */
  authorize(publicKeyFile: string): void;
}

/** A real sshd of the current user on a free loopback port, with keys, configuration and HOME of its own in a temporary directory. */
export async function startSshd(
  options: { readonly config?: readonly string[]; readonly hostKeys?: readonly KeyType[] } = {},
): Promise<TestSshd> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "ccm-sshd-"));
  const home = path.join(directory, "home");
  fs.mkdirSync(home);
  // Where no init system has started an sshd before: it refuses to run as root without it.
  if (process.getuid?.() === 0 && process.platform === "linux") fs.mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
  const types: readonly KeyType[] = options.hostKeys ?? ["ed25519", "ecdsa", "rsa"];
  const hostKeys = Object.fromEntries(
    types.map((type) => [type, makeKey(path.join(directory, `host_${type}`), type)]),
  ) as TestSshd["hostKeys"];
  const identity = path.join(directory, "id_ed25519");
  const authorizedKeys = path.join(directory, "authorized_keys");
  fs.writeFileSync(authorizedKeys, `${makeKey(identity, "ed25519")}\n`);
  const { child, port } = await listen(directory, types, options.config ?? []);
  const knownHosts = path.join(directory, "known_hosts");
  fs.writeFileSync(knownHosts, `[127.0.0.1]:${port} ${hostKeys.ed25519}\n`);
  return {
    directory,
    home,
    port,
    identity,
    knownHosts,
    hostKeys,
    target: (changes = {}) => ({
      ...defaultTarget("127.0.0.1", { host: "127.0.0.1", user: os.userInfo().username, port }, { HOME: home }),
      identityFiles: [identity],
      identityAgent: "none",
      knownHostsFiles: [knownHosts],
      ...changes,
    }),
    authorize: (publicKeyFile) => fs.appendFileSync(authorizedKeys, fs.readFileSync(publicKeyFile)),
    async [Symbol.asyncDispose]() {
      await stop(child);
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Makes a key pair and answers with the public half as `TYPE BASE64`. */
export function makeKey(file: string, type: KeyType, passphrase = ""): string {
  const bits = type === "rsa" ? ["-b", "2048"] : [];
  execFileSync("ssh-keygen", ["-q", "-t", type, ...bits, "-N", passphrase, "-C", "test", "-f", file]);
  return fs.readFileSync(`${file}.pub`, "utf8").split(" ").slice(0, 2).join(" ");
}

/** The port is free when it is chosen; where somebody else takes it in between, another one is. */
async function listen(
  directory: string,
  types: readonly string[],
  extra: readonly string[],
): Promise<{ child: ChildProcess; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const config = path.join(directory, "sshd_config");
    fs.writeFileSync(config, [...extra, ...configuration(directory, port, types), ""].join("\n"));
    const child = spawn(SSHD ?? "sshd", ["-D", "-e", "-f", config], { stdio: ["ignore", "ignore", "pipe"] });
    const log: Buffer[] = [];
    child.stderr.on("data", (chunk: Buffer) => log.push(chunk));
    if (await listening(child, () => Buffer.concat(log).toString())) return { child, port };
    if (attempt === 3) throw new Error(`sshd does not start: ${Buffer.concat(log)}`);
  }
}

function configuration(directory: string, port: number, types: readonly string[]): string[] {
  return [
    "ListenAddress 127.0.0.1",
    `Port ${port}`,
    ...types.map((type) => `HostKey ${path.join(directory, `host_${type}`)}`),
    `AuthorizedKeysFile ${path.join(directory, "authorized_keys")}`,
    "PidFile none",
    "StrictModes no",
    "UsePAM no",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    `SetEnv HOME=${path.join(directory, "home")} XDG_CACHE_HOME= ENV= BASH_ENV=`,
  ];
}

function listening(child: ChildProcess, log: () => string): Promise<boolean> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve(false));
    child.stderr?.on("data", () => {
      if (log().includes("Server listening")) resolve(true);
    });
  });
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}
