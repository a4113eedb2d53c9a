import os from "node:os";
import type { Clock } from "../core/clock.ts";

const LOOK_EVERY_MS = 1_000;
/** The wall clock ran this much further than the timers did: the machine slept, or somebody set its clock. */
const JUMP_MS = 5_000;

export interface NetworkWatchOptions {
  readonly clock: Clock;
  /** This machine may have another network than a moment ago, or slept. */
  readonly onChange: (what: string) => void;
  /** The addresses of this machine, in any form that can be compared. */
  readonly addresses?: () => string;
}

/** Looks for what makes it worth while to try every link at once: another address, or the end of a sleep. */
export class NetworkWatch {
  readonly #options: NetworkWatchOptions;
  readonly #addresses: () => string;
  #known: string;
  #cancel: (() => void) | undefined;

  constructor(options: NetworkWatchOptions) {
    this.#options = options;
    this.#addresses = options.addresses ?? ownAddresses;
    this.#known = this.#addresses();
    this.#schedule();
  }

  stop(): void {
    this.#cancel?.();
  }

  #schedule(): void {
    const { clock, onChange } = this.#options;
    const [wallMs, monotonicMs] = [clock.now(), clock.monotonicMs()];
    this.#cancel = clock.after(LOOK_EVERY_MS, () => {
      const jumpedMs = clock.now() - wallMs - (clock.monotonicMs() - monotonicMs);
      const lateMs = clock.monotonicMs() - monotonicMs - LOOK_EVERY_MS;
      const addresses = this.#addresses();
      const moved = addresses !== this.#known;
      this.#known = addresses;
      this.#schedule();
      if (moved) onChange("the network addresses changed");
      else if (Math.max(jumpedMs, lateMs) > JUMP_MS) onChange("this machine slept or its clock was set");
    });
  }
}

function ownAddresses(): string {
  const all = Object.entries(os.networkInterfaces()).flatMap(([name, addresses]) =>
    (addresses ?? []).filter(({ internal }) => !internal).map(({ address }) => `${name} ${address}`),
  );
  return all.sort().join("\n");
}
