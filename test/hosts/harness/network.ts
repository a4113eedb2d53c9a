import { existsSync } from "node:fs";
import path from "node:path";
import { onUncleanExit } from "./exit-cleanup.ts";
import { Host } from "./host.ts";
import { createKey, writeHostFiles } from "./host-files.ts";
import { NetworkSwitch } from "./network-switch.ts";
import { createRunDirectory, linkOrCopy } from "./run-directory.ts";

export interface HostOptions {
  /** Lines for its sshd_config; they win over the harness's own. */
  readonly sshdOptions?: readonly string[];
  readonly loginShell?: string;
  /** Whether its person's known_hosts has the keys of the other hosts. Default true. */
  readonly knownHosts?: boolean;
  /** Whether its person has the key that the other hosts accept. Default true. */
  readonly sshKey?: boolean;
  /** Whether an ssh server runs. Default true. */
  readonly sshd?: boolean;
  /** Whether XDG_RUNTIME_DIR is set, for commands and for ssh logins. Default true. */
  readonly runtimeDirectory?: boolean;
}

interface Member {
  readonly host: Host;
  readonly publicKey: string;
  readonly knownHosts: boolean;
}

/** A few hosts on one machine, joined by a network of their own. Made by {@link createNetwork}; `await using` ends it. */
export class Network implements AsyncDisposable {
  /** A directory that all hosts see at this path, readable by everybody. */
  readonly directory: string;
  readonly #removeDirectory: () => void;
  readonly #switch: NetworkSwitch;
  readonly #members: Member[] = [];
  readonly #forget: () => void;
  #nextPort = 11;

  constructor(run: { directory: string; dispose: () => void }, networkSwitch: NetworkSwitch) {
    this.directory = run.directory;
    this.#removeDirectory = run.dispose;
    this.#switch = networkSwitch;
    this.#forget = onUncleanExit(run.dispose);
  }

  get hosts(): readonly Host[] {
    return this.#members.map(({ host }) => host);
  }

  /** Starts a host. Every host finds every other by name. */
  async host(name: string, options: HostOptions = {}): Promise<Host> {
    const { loginShell = "/bin/bash", sshdOptions = [], knownHosts = true, sshKey: hasKey = true } = options;
    const { sshd = true, runtimeDirectory = true } = options;
    const port = this.#nextPort++;
    const directory = path.join(this.directory, "hosts", name);
    const personKey = path.join(this.directory, "person-key");
    const files = { name, networkId: this.directory, loginShell, sshdOptions, runtimeDirectory, personKey, hasKey };
    const publicKey = await writeHostFiles(directory, files);
    const address = `10.77.0.${port}`;
    const host = await Host.start({ name, address, port, networkSwitch: this.#switch, directory, sshd, runtimeDirectory });
    this.#members.push({ host, publicKey, knownHosts });
    this.#introduce();
    return host;
  }

  /** Puts a file of this machine where all hosts see it, under `name` in {@link directory}; returns its path there. */
  share(file: string, name: string): string {
    const target = path.join(this.directory, name);
    if (!existsSync(target)) linkOrCopy(file, target);
    return target;
  }

  /** The runtime that runs this test, at a path that all hosts see. */
  get node(): string {
    return this.share(process.execPath, "bin/node");
  }

  /** Ends all hosts with everything on them. Rejects if anything is left behind. */
  async [Symbol.asyncDispose](): Promise<void> {
    const stopped = await Promise.allSettled([...this.hosts.map((host) => host.stop()), this.#switch.stop()]);
    this.#forget();
    this.#removeDirectory();
    const failures = stopped.filter((result) => result.status === "rejected").map(({ reason }) => reason);
    const left = this.hosts.filter(({ initPid }) => existsSync(`/proc/${initPid}`)).map(({ name }) => `host ${name}`);
    if (existsSync(this.directory)) left.push(this.directory);
    if (left.length > 0) failures.push(new Error(`left behind: ${left.join(", ")}`));
    if (failures.length > 0) throw new AggregateError(failures, "the network did not end cleanly");
  }

  #introduce(): void {
    const addresses = this.hosts.map(({ name, address }) => `${address} ${name}`);
    const keys = this.#members.map(({ host, publicKey }) => `${host.name},${host.address} ${publicKey}`);
    for (const { host, knownHosts } of this.#members) {
      host.putFile("/etc/hosts", `${["127.0.0.1 localhost", ...addresses].join("\n")}\n`);
      if (knownHosts) host.putFile(".ssh/known_hosts", `${keys.join("\n")}\n`, 0o600);
    }
  }
}

/** A new network without hosts. Needs root on Linux; see `whyNoHosts`. */
export async function createNetwork(): Promise<Network> {
  const run = createRunDirectory();
  try {
    await createKey(path.join(run.directory, "person-key"), "ccm test");
    return new Network(run, await NetworkSwitch.start());
  } catch (error) {
    run.dispose();
    throw error;
  }
}
