import path from "node:path";
import { bundleProgram } from "../../hosts/harness/bundle-fixture.ts";
import { ccm, ccmExecutable, daemonLog, daemonStatus } from "../../hosts/harness/ccm.ts";
import type { Host } from "../../hosts/harness/host.ts";
import type { Network } from "../../hosts/harness/network.ts";
import { waitFor } from "../../hosts/harness/wait-for.ts";
import { ChaosSession, type ChaosSessionOptions } from "./chaos-session.ts";
import { Ledger, type Message } from "./ledger.ts";
import { SlowWire } from "./slow-wire.ts";

export const STATE = ".local/state/claude-code-message";
/** So that a cut can be longer than it. */
const SHORT_GRACE_SECONDS = 15;
const STATE_DISK_MEGABYTES = 64;
/** The trails are long: they are read again only after this. */
const WRITTEN_FRESH_MS = 2_000;
/** It sends the executable; a busy machine takes its time. */
const PAIR_MS = 120_000;
const LINKED_DEADLINE_MS = 60_000;

/** Who dials whom: a hub and its servers, and a ring as soon as there are three. */
const DIALS: readonly (readonly [string, string])[] = [
  ["laptop", "server"],
  ["laptop", "gpu"],
  ["gpu", "server"],
];

/** A cable that was cut and is whole again. */
export interface Heal {
  readonly host: string;
  readonly at: number;
  readonly lastedMs: number;
}

export interface WorldOptions {
  readonly hosts: readonly string[];
  readonly sessionsPerHost: number;
  /** Each session writes one message in this time. */
  readonly messageEveryMs: number;
  readonly graceSeconds?: number;
}

/** Hosts that are linked, with sessions that write to each other. */
export class World {
  readonly network: Network;
  readonly hosts: readonly Host[];
  readonly ledger = new Ledger();
  /** Between whoever dials a host and its ssh server. */
  readonly wires = new Map<string, SlowWire>();
  readonly healedAt: Heal[] = [];
  readonly #program: string;
  readonly #options: WorldOptions;
  readonly #sessions: ChaosSession[] = [];
  readonly #generations = new Map<string, number>();
  #written: ReadonlySet<string> = new Set();
  #writtenReadMs = Number.NEGATIVE_INFINITY;

  private constructor(network: Network, hosts: readonly Host[], program: string, options: WorldOptions) {
    this.network = network;
    this.hosts = hosts;
    this.#program = program;
    this.#options = options;
  }

  static async start(network: Network, options: WorldOptions): Promise<World> {
    const program = await bundleProgram(network, path.join(import.meta.dirname, "..", "fixtures", "chaos-session.ts"));
    const hosts: Host[] = [];
    for (const name of options.hosts) hosts.push(await network.host(name));
    const world = new World(network, hosts, program, options);
    for (const host of hosts) await world.#prepare(host);
    for (const host of hosts) for (let index = 1; index <= options.sessionsPerHost; index += 1) await world.addSession(host, `s${index}`);
    for (const [dialler, dialled] of world.#dials) await world.#pair(world.host(dialler), dialled);
    await world.untilWhole();
    return world;
  }

  get sessions(): readonly ChaosSession[] {
    return this.#sessions;
  }

  get living(): ChaosSession[] {
    return this.#sessions.filter(({ endedAt }) => endedAt === undefined);
  }

  host(name: string): Host {
    const host = this.hosts.find((one) => one.name === name);
    if (!host) throw new Error(`no host ${name}`);
    return host;
  }

  /** Names are never used twice: a message says whom it was for. */
  async addSession(host: Host, base: string): Promise<ChaosSession> {
    const generation = (this.#generations.get(`${host.name}/${base}`) ?? 0) + 1;
    this.#generations.set(`${host.name}/${base}`, generation);
    const name = generation === 1 ? base : `${base}-${generation}`;
    const onEvent: ChaosSessionOptions["onEvent"] = (session, event) => this.ledger.take(session, event);
    const session = await ChaosSession.start({ network: this.network, host, program: this.#program, name, onEvent });
    this.#sessions.push(session);
    return session;
  }

  go(session: ChaosSession): void {
    session.go(this.#options.messageEveryMs);
  }

  async startDaemon(host: Host): Promise<void> {
    const result = await host.exec("ccm", ["up"]);
    if (result.code !== 0) throw new Error(`ccm up on ${host.name}: ${result.stderr}`);
  }

  /** Every link is up and every living session has one mirror on every other host. */
  async untilWhole(deadlineMs = LINKED_DEADLINE_MS): Promise<void> {
    for (const host of this.hosts) {
      const wanted = this.living.filter((session) => session.host !== host).map(({ key }) => key);
      await waitFor(() => JSON.stringify(this.mirrored(host).sort()) === JSON.stringify(wanted.sort()), {
        what: `a mirror of each of ${wanted.length} sessions on ${host.name}`,
        deadlineMs,
        pollMs: 100,
        otherwise: () => `${JSON.stringify(this.mirrored(host))}\n${JSON.stringify(daemonStatus(host).peers)}`,
      });
    }
  }

  /** Whom the mirrors that run on a host stand for, one entry a mirror. */
  mirrored(host: Host): string[] {
    const running = new Set(host.processes().flatMap(({ pid, zombie }) => (zombie ? [] : [pid])));
    return readMirrorRecords(host)
      .filter(({ pid }) => running.has(pid))
      .map(({ label, name }) => `${label}/${name}`);
  }

  endedAt(key: string): number | undefined {
    return this.#sessions.find((session) => session.key === key)?.endedAt;
  }

  wasWritten(message: Message): boolean {
    if (performance.now() - this.#writtenReadMs > WRITTEN_FRESH_MS) {
      this.#written = new Set(this.hosts.flatMap((host) => this.trailOf(host).flatMap(writtenId)));
      this.#writtenReadMs = performance.now();
    }
    return this.#written.has(message.id);
  }

  /** Links that came up, as the daemons of all hosts tell; each is counted at both its ends. */
  linksUp(): number {
    return this.hosts.reduce((sum, host) => sum + this.trailOf(host).filter((line) => line.includes('"ev":"link_up"')).length, 0);
  }

  async #pair(dialler: Host, dialled: string): Promise<void> {
    const result = await dialler.exec("ccm", ["pair", dialled], { timeoutMs: PAIR_MS });
    if (result.code !== 0) throw new Error(`ccm pair ${dialled} on ${dialler.name}: ${result.stderr}\n${daemonLog(dialler)}`);
  }

  get #dials(): readonly (readonly [string, string])[] {
    return DIALS.filter((pair) => pair.every((name) => this.hosts.some((host) => host.name === name)));
  }

  trailOf(host: Host): string[] {
    return [5, 4, 3, 2, 1, 0]
      .map((generation) => `${STATE}/audit.jsonl${generation > 0 ? `.${generation}` : ""}`)
      .filter((file) => host.exists(file))
      .flatMap((file) => host.readFile(file).split("\n"));
  }

  async #prepare(host: Host): Promise<void> {
    host.installCcm(ccmExecutable);
    await ccm(host, "init", "--label", host.name);
    const { graceSeconds = SHORT_GRACE_SECONDS } = this.#options;
    const config = JSON.parse(host.readFile(".config/claude-code-message/config.json"));
    host.putFile(".config/claude-code-message/config.json", JSON.stringify({ ...config, grace_seconds: graceSeconds }), 0o600);
    await this.#giveStateItsOwnDisk(host);
    await this.#putWire(host);
  }

  /** A disk of its own for the state can be filled. */
  async #giveStateItsOwnDisk(host: Host): Promise<void> {
    const script = `mkdir -p ${STATE} && mount -t tmpfs -o mode=700,uid=1500,gid=1500,size=${STATE_DISK_MEGABYTES}m tmpfs ${STATE}`;
    const result = await host.exec("/bin/sh", ["-c", `cd ${host.home} && ${script} && chown 1500:1500 .local .local/state`], {
      user: "root",
    });
    if (result.code !== 0) throw new Error(`no disk for the state of ${host.name}: ${result.stderr}`);
  }

  /** All who dial the host do so over a wire that can be made slow. */
  async #putWire(host: Host): Promise<void> {
    const wire = await SlowWire.start(this.network, host);
    this.wires.set(host.name, wire);
    for (const other of this.hosts) {
      const lines = (file: string) => (other.exists(file) ? other.readFile(file) : "");
      const key =
        lines(".ssh/known_hosts")
          .split("\n")
          .find((line) => line.startsWith(`${host.name},`)) ?? "";
      other.putFile(".ssh/known_hosts", `${lines(".ssh/known_hosts")}${key.replace(/^\S+/, `[${host.name}]:${wire.port}`)}\n`, 0o600);
      other.putFile(".ssh/config", `${lines(".ssh/config")}Host ${host.name}\n  Port ${wire.port}\n`, 0o600);
    }
  }
}

function readMirrorRecords(host: Host): { pid: number; label: string; name: string }[] {
  const directory = `${host.home}/.claude/sessions`;
  return host
    .list(directory)
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) => {
      try {
        const record = JSON.parse(host.readFile(`${directory}/${file}`));
        if (record.agent !== "claude-code-message") return [];
        return [{ pid: Number(record.pid), label: String(record.ccmHost), name: String(record.ccmRemoteName) }];
      } catch {
        // It is being written, or has just gone.
        return [];
      }
    });
}

/** The message that a line of a trail tells of as written into its target's inbox. */
function writtenId(line: string): string[] {
  const id = /"msg_id":"([^"]+)"/.exec(line)?.[1];
  return id !== undefined && line.includes('"ev":"relay_in"') && line.includes('"state":"written"') ? [id] : [];
}
