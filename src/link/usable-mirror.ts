import type { Clock } from "../core/clock.ts";
import { CcmError } from "../core/errors.ts";
import type { Mirror } from "../mirror/mirror.ts";

/** How long a message waits for a mirror that is being made: as long as a mirror may take to be ready. */
const WAIT_MS = 30_000;

export interface ReadyMirror {
  readonly mirror: Mirror;
  /** `uds:` and its socket. */
  readonly address: string;
}

/** The mirror of a member that can be written with: there may be none just now, and another one later. */
export class UsableMirror {
  readonly #clock: Clock;
  #ready = pending();
  #usable: ReadyMirror | undefined;
  #waiting = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Does `work` with it, in the order of the calls: within the call if it is there and nobody waits. Rejects with `timeout` if there is none
   * for 30 s, and with why there will be none.
   */
  async use<Result>(work: (ready: ReadyMirror) => Promise<Result>): Promise<Result> {
    if (this.#usable && this.#waiting === 0) return work(this.#usable);
    this.#waiting += 1;
    let ready: ReadyMirror;
    try {
      ready = await this.#whenReady();
    } finally {
      this.#waiting -= 1;
    }
    return work(ready);
  }

  async #whenReady(): Promise<ReadyMirror> {
    const late = Promise.withResolvers<never>();
    const cancel = this.#clock.after(WAIT_MS, () =>
      late.reject(new CcmError("timeout", `no process could be started in its sender's name within ${WAIT_MS / 1000} s`)),
    );
    return Promise.race([this.#ready.promise, late.promise]).finally(cancel);
  }

  found(ready: ReadyMirror): void {
    this.#usable = ready;
    this.#ready.resolve(ready);
  }

  /** Another one will come. */
  lost(): void {
    if (this.#usable) this.#ready = pending();
    this.#usable = undefined;
  }

  /** None will come. */
  end(error: CcmError): void {
    this.lost();
    this.#ready.reject(error);
  }
}

function pending(): PromiseWithResolvers<ReadyMirror> {
  const made = Promise.withResolvers<ReadyMirror>();
  // Often nobody waits.
  made.promise.catch(() => undefined);
  return made;
}
