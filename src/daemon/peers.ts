import { buildInfo, linkProtocol } from "../core/build-info.ts";
import type { Clock } from "../core/clock.ts";
import { isLabel } from "../core/label.ts";
import type { Log } from "../core/log.ts";
import { type LinkConnection, LinkRefused } from "../link/connection.ts";
import type { OpenMirror } from "../link/mirrors.ts";
import { type Direction, Peer, type PeerEvents } from "../link/peer.ts";
import { FILES_FEATURE, type Hello } from "../link/protocol.ts";
import type { Attestation } from "../link/rewrite-frame.ts";
import type { LocalMembers } from "../members/local-members.ts";
import { MirrorNames } from "../members/mirror-names.ts";
import type { RelayTrail } from "./relay-trail.ts";

export interface PeersOptions {
  readonly machineId: string;
  readonly boot: string;
  readonly label: () => string;
  readonly graceMs: () => number;
  /** For the machine of that label. */
  readonly attestation: (label: string) => Attestation;
  readonly claudeConfig: string;
  readonly localMembers: LocalMembers;
  readonly openMirror: OpenMirror;
  readonly clock: Clock;
  readonly log: Log;
  readonly trail: RelayTrail;
  readonly answerQuestion: PeerEvents["onQuestion"];
  readonly onChange: () => void;
}

/** The other machines that this daemon has, or had a moment ago, a link to: one {@link Peer} a machine, whoever dials. */
export class Peers {
  readonly #options: PeersOptions;
  readonly #names: MirrorNames;
  readonly #peers = new Map<string, Peer>();
  readonly #waiting = new Set<() => void>();

  constructor(options: PeersOptions) {
    this.#options = options;
    this.#names = new MirrorNames((name) => options.localMembers.hasName(name));
    options.localMembers.onChange((changes) => {
      for (const peer of this.#peers.values()) peer.publish(changes);
    });
  }

  /** Without those that are only clearing up after themselves. */
  get all(): readonly Peer[] {
    return [...this.#peers.values()].filter((peer) => peer.state.name !== "gone");
  }

  byMachine(machineId: string): Peer | undefined {
    return this.#peers.get(machineId);
  }

  hello(): Hello {
    const { machineId, boot, label, clock } = this.#options;
    const { version, commit } = buildInfo;
    const protocol = { ...linkProtocol };
    const features = [FILES_FEATURE];
    return { op: "hello", protocol, version, commit, machine: machineId, label: label(), boot, now: clock.now(), features };
  }

  /**
   * Gives a connection whose hellos are exchanged to its machine's peer. One link a machine: when both sides dial, the one that
   * the machine with the smaller id dials stays, and both sides decide so alike. Settles when the machine's members are known, or
   * the connection has ended. Rejects with {@link LinkRefused}, having told the other side.
   */
  async attach(connection: LinkConnection, hello: Hello, direction: Direction, label: string): Promise<void> {
    const { machineId } = this.#options;
    if (hello.machine === machineId) throw refuse(connection, "same_machine", "this is the same machine and user");
    const known = this.#peers.get(hello.machine);
    const isPreferred = direction === (machineId < hello.machine ? "dialled" : "answered");
    if (known?.state.name === "linked" && known.direction !== direction && !isPreferred) {
      throw refuse(connection, "already_linked", `${this.#options.label()} is linked with this machine already; one link serves both`);
    }
    const peer = known && known.state.name !== "gone" ? known : this.#open(hello.machine, label);
    if (peer.label !== label) peer.rename(label);
    await peer.attach(connection, hello, direction);
  }

  /** What to call a machine that dialled us: as it calls itself. */
  answeredLabel(hello: Hello): string {
    return (
      this.#peers.get(hello.machine)?.label ??
      (isLabel(hello.label)
        ? hello.label
        : `machine-${hello.machine
            .slice(0, 6)
            .toLowerCase()
            .replace(/[^a-z0-9]/g, "x")}`)
    );
  }

  /** Settles when there is no link with that machine (any more), or when `signal` aborts. */
  async untilUnlinked(machineId: string, signal: AbortSignal): Promise<void> {
    while (this.#peers.get(machineId)?.state.name === "linked" && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      this.#waiting.delete(resolve);
    }
  }

  /** `final`: this machine does not mean to be linked with that one again soon. */
  async closeOne(machineId: string, reason: string, final: boolean): Promise<void> {
    const peer = this.#peers.get(machineId);
    this.#peers.delete(machineId);
    await peer?.close(reason, final);
    this.#changed();
  }

  async closeAll(reason: string, final: boolean): Promise<void> {
    await Promise.all([...this.#peers.keys()].map((machineId) => this.closeOne(machineId, reason, final)));
  }

  #open(machineId: string, label: string): Peer {
    const { log, trail, graceMs, attestation, answerQuestion } = this.#options;
    const peer: Peer = new Peer({
      ...this.#options,
      machineId,
      label,
      names: this.#names,
      graceMs: graceMs(),
      attestation: () => attestation(peer.label),
      events: {
        onLinked: () => {
          log.info(`linked with ${peer.label} (${peer.direction})`);
          trail.linkUp(peer);
          this.#changed();
        },
        onUnlinked: (error) => {
          log.warn(`link with ${peer.label} is down: ${error.message}`);
          trail.linkDown(peer, error);
          this.#changed();
        },
        onGone: () => {
          log.info(`${peer.label} is gone`);
          if (this.#peers.get(machineId) === peer) this.#peers.delete(machineId);
          this.#changed();
        },
        onState: (direction, frame, change) => trail.state(peer, direction, frame, change),
        onProblem: (message) => log.warn(message),
        onQuestion: (question) => answerQuestion(question),
      },
    });
    this.#peers.set(machineId, peer);
    return peer;
  }

  #changed(): void {
    for (const wake of this.#waiting) wake();
    this.#options.onChange();
  }
}

function refuse(connection: LinkConnection, reason: string, message: string): LinkRefused {
  connection.refuse(reason, message);
  return new LinkRefused(reason, message);
}
