import type { PeerConfig } from "./config.ts";
import { Dialler, type DiallerOptions } from "./dialler.ts";
import type { Peers } from "./peers.ts";

export interface DiallersOptions extends Omit<DiallerOptions, "host" | "label" | "open" | "isReachable"> {
  readonly peers: Peers;
  readonly open: (entry: PeerConfig, ...how: Parameters<DiallerOptions["open"]>) => ReturnType<DiallerOptions["open"]>;
  readonly probe: (host: string) => Pick<DiallerOptions, "isReachable">;
}

/** The links that this machine keeps up, one a paired host, in step with the configuration. */
export class Diallers {
  readonly #options: DiallersOptions;
  readonly #diallers = new Map<string, Dialler>();

  constructor(options: DiallersOptions) {
    this.#options = options;
  }

  get all(): readonly Dialler[] {
    return [...this.#diallers.values()];
  }

  byLabel(label: string): Dialler | undefined {
    return this.#diallers.values().find((dialler) => dialler.label === label);
  }

  /** Starts what is new and stops what is no longer there; a link that is in both is not touched. */
  async follow(entries: readonly PeerConfig[]): Promise<void> {
    const wanted = new Map(entries.map((entry) => [key(entry), entry]));
    const leaving = [...this.#diallers].filter(([id]) => !wanted.has(id));
    for (const [id] of leaving) this.#diallers.delete(id);
    const kept = new Set(this.all.flatMap((dialler) => dialler.machineId ?? []));
    for (const [id, entry] of wanted) if (!this.#diallers.has(id)) this.#diallers.set(id, this.#start(entry));
    await Promise.all(leaving.map(([, dialler]) => this.#stop(dialler, kept)));
  }

  /** Tries every link that waits at once. */
  nudge(): void {
    for (const dialler of this.all) dialler.nudge();
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.all.map((dialler) => dialler.stop()));
  }

  #start(entry: PeerConfig): Dialler {
    const { open, probe, ...options } = this.#options;
    const { host, label } = entry;
    const hostProbe = probe(host);
    return new Dialler({ ...options, host, label, open: (...how) => open(entry, ...how), isReachable: () => hostProbe.isReachable() });
  }

  async #stop(dialler: Dialler, keptMachines: ReadonlySet<string>): Promise<void> {
    const { machineId } = dialler;
    const peer = machineId === undefined ? undefined : this.#options.peers.byMachine(machineId);
    // A machine that goes on under another entry, or that dials us, keeps its link.
    if (machineId !== undefined && peer?.direction === "dialled" && !keptMachines.has(machineId)) {
      await this.#options.peers.closeOne(machineId, "unpaired", true);
    }
    await dialler.stop();
  }
}

function key({ host, label, transport }: PeerConfig): string {
  return JSON.stringify([host, label, transport]);
}
