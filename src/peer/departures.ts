import type { Clock } from "../core/clock.ts";
import { isSameMember } from "../members/same-member.ts";
import type { Correspondent, Directory } from "./directory.ts";

/** A session of another machine may get another mirror in this time; one of this machine is gone when it is gone. */
const REPLACED_WITHIN_MS = 3_000;
/** Of too many the one that has been silent longest is no longer looked after. */
const MAX_WATCHED = 1_000;

export interface DeparturesOptions {
  readonly directory: Directory;
  readonly clock: Clock;
  readonly onGone: (correspondent: Correspondent) => void;
}

/** Notices when a session has left that this peer had to do with. */
export class Departures {
  readonly #options: DeparturesOptions;
  readonly #watched = new Map<string, Correspondent>();
  readonly #leaving = new Map<string, () => void>();
  readonly #stopListening: () => void;

  constructor(options: DeparturesOptions) {
    this.#options = options;
    this.#stopListening = options.directory.onChange(() => this.#look());
  }

  watch(correspondent: Correspondent): void {
    const { address } = correspondent;
    this.#watched.delete(address);
    this.#watched.set(address, correspondent);
    const [oldest] = this.#watched.keys();
    if (this.#watched.size > MAX_WATCHED && oldest !== undefined) this.#forget(oldest);
  }

  close(): void {
    this.#stopListening();
    for (const address of [...this.#watched.keys()]) this.#forget(address);
  }

  #look(): void {
    for (const [address, correspondent] of this.#watched) {
      if (this.#isHere(correspondent)) this.#stay(address);
      else if (correspondent.machine === undefined) this.#leave(address);
      else if (!this.#leaving.has(address)) {
        this.#leaving.set(
          address,
          this.#options.clock.after(REPLACED_WITHIN_MS, () => this.#leave(address)),
        );
      }
    }
  }

  #isHere({ entry }: Correspondent): boolean {
    return this.#options.directory.entries().some((other) => !other.unreachable && isSameMember(other, entry));
  }

  #stay(address: string): void {
    this.#leaving.get(address)?.();
    this.#leaving.delete(address);
  }

  #leave(address: string): void {
    const correspondent = this.#watched.get(address);
    this.#forget(address);
    if (correspondent) this.#options.onGone(correspondent);
  }

  #forget(address: string): void {
    this.#stay(address);
    this.#watched.delete(address);
  }
}
