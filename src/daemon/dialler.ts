import type { Clock } from "../core/clock.ts";
import { CcmError, type ErrorCode, toCcmError } from "../core/errors.ts";
import { Backoff } from "../link/backoff.ts";
import { LinkConnection, LinkRefused, type LinkStream } from "../link/connection.ts";
import type { Peers } from "./peers.ts";

export type DiallerState =
  | { readonly name: "connecting"; readonly since: number }
  | { readonly name: "linked"; readonly since: number }
  /** The other machine has dialled us and that link serves both. */
  | { readonly name: "served"; readonly since: number }
  | { readonly name: "waiting"; readonly since: number; readonly retryAt: number; readonly error: CcmError };

export interface DiallerOptions {
  readonly host: string;
  readonly label: string;
  readonly peers: Peers;
  /** Opens the byte stream to the other daemon; gives up when the signal aborts. `connectMs` bounds the wait for the network. */
  readonly open: (signal: AbortSignal, connectMs: number | undefined) => Promise<LinkStream>;
  /** Whether the host can be reached at all just now; undefined where that cannot be asked. */
  readonly isReachable: () => Promise<boolean | undefined>;
  readonly clock: Clock;
  readonly onChange: () => void;
  /** The other machine will not have this link; tried again in a minute. */
  readonly onRefused: (label: string, error: CcmError) => void;
}

const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 60_000;
/** A link that held this long was a good one: the next try is soon again. */
const GOOD_LINK_MS = 10_000;
/** After a loss a lost packet must not cost what is left of a long wait for the network: tries are short and many. */
const REDIAL_CONNECT_MS = 2_000;
const LOOK_EVERY_MS = 1_000;
/** Failures that the network may mend by itself. */
const NETWORK_FAILURES = new Set<ErrorCode>(["host_unreachable", "host_not_found", "link_down", "peer_silent", "timeout", "ssh_failed"]);

/** Keeps one link up that this machine dials: tries, waits 1 to 60 s with jitter, tries again, until it is stopped. */
export class Dialler {
  readonly #options: DiallerOptions;
  readonly #backoff = new Backoff({ firstMs: RETRY_FIRST_MS, maxMs: RETRY_MAX_MS, random: Math.random });
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #watchers = new Set<() => void>();
  #state: DiallerState;
  #machineId: string | undefined;
  #wake: (() => void) | undefined;

  constructor(options: DiallerOptions) {
    this.#options = options;
    this.#state = { name: "connecting", since: options.clock.now() };
    this.#running = this.#run();
  }

  get host(): string {
    return this.#options.host;
  }

  get label(): string {
    return this.#options.label;
  }

  get state(): DiallerState {
    return this.#state;
  }

  /** Known once a link has been up. */
  get machineId(): string | undefined {
    return this.#machineId;
  }

  /** Does not wait any longer for the next try. */
  nudge(): void {
    this.#wake?.();
  }

  /** Settles when the link is up; rejects with what the first try after now ended with, or `timeout`. */
  async untilLinked(timeoutMs: number): Promise<void> {
    const { clock, label } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const cancel = clock.after(timeoutMs, () =>
      reject(new CcmError("timeout", `no link with ${label} within ${timeoutMs / 1000} s`, { hint: "see ccm status" })),
    );
    const check = () => {
      if (this.#state.name === "linked" || this.#state.name === "served") resolve();
      else if (this.#state.name === "waiting") reject(this.#state.error);
    };
    this.#watchers.add(check);
    this.nudge();
    if (this.#state.name !== "waiting") check();
    await promise.finally(() => {
      cancel();
      this.#watchers.delete(check);
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new CcmError("link_down", "the link was taken down here"));
    this.#wake?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#whileServed();
      if (signal.aborted) return;
      const error = await this.#link();
      if (signal.aborted) return;
      if (!this.#isServed()) await this.#wait(error);
    }
  }

  /** One link from dialling to its end; settles with why it ended. */
  async #link(): Promise<CcmError> {
    const { peers, open, clock, label } = this.#options;
    const { signal } = this.#stopping;
    this.#set({ name: "connecting", since: clock.now() });
    try {
      const connection = new LinkConnection({
        stream: await open(signal, this.#machineId === undefined ? undefined : REDIAL_CONNECT_MS),
        clock,
      });
      const abandon = () => connection.close("the link was taken down");
      signal.addEventListener("abort", abandon, { once: true });
      // It may have been stopped while the stream was being opened, and that is not told again.
      if (signal.aborted) abandon();
      try {
        const hello = await connection.ready;
        this.#refuseTwin(connection, hello.machine);
        connection.greet(peers.hello());
        this.#machineId = hello.machine;
        await peers.attach(connection, hello, "dialled", label);
        const linkedAtMs = clock.monotonicMs();
        this.#set({ name: "linked", since: clock.now() });
        const error = await connection.closed;
        if (clock.monotonicMs() - linkedAtMs > GOOD_LINK_MS) this.#backoff.reset();
        return error;
      } finally {
        signal.removeEventListener("abort", abandon);
      }
    } catch (error) {
      return toCcmError(error);
    }
  }

  /** Two entries of the configuration that lead to one machine would take each other's link away for ever. */
  #refuseTwin(connection: LinkConnection, machineId: string): void {
    const peer = this.#options.peers.byMachine(machineId);
    if (machineId === this.#machineId || peer?.state.name !== "linked" || peer.direction !== "dialled") return;
    const message = `${this.#options.host} is the machine that is paired as ${peer.label} already`;
    connection.refuse("twin", message);
    throw new CcmError("link_refused", message, { hint: `remove one of the two: ccm unpair ${this.#options.label}` });
  }

  async #whileServed(): Promise<void> {
    const { clock, peers } = this.#options;
    if (!this.#isServed() || this.#machineId === undefined) return;
    this.#set({ name: "served", since: clock.now() });
    await peers.untilUnlinked(this.#machineId, this.#stopping.signal);
  }

  #isServed(): boolean {
    return this.#machineId !== undefined && this.#options.peers.byMachine(this.#machineId)?.state.name === "linked";
  }

  async #wait(error: CcmError): Promise<void> {
    const { clock } = this.#options;
    // A refusal will not change by itself soon.
    const delayMs = error instanceof LinkRefused ? RETRY_MAX_MS : this.#backoff.nextMs();
    if (error instanceof LinkRefused) this.#options.onRefused(this.label, error);
    const since = clock.now();
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(delayMs, resolve);
    this.#wake = resolve;
    this.#set({ name: "waiting", since, retryAt: since + delayMs, error });
    let waiting = true;
    if (NETWORK_FAILURES.has(error.code)) void this.#untilBack(() => waiting).then(resolve);
    await promise;
    waiting = false;
    cancel();
    this.#wake = undefined;
  }

  /** Settles when the host is reachable after it was not: a failure that another cause keeps up is not tried every second. */
  async #untilBack(isWaiting: () => boolean): Promise<void> {
    const { clock, isReachable } = this.#options;
    let wasAway = false;
    for (;;) {
      const reachable = await isReachable();
      if (reachable === undefined) return new Promise(() => undefined);
      if (!isWaiting() || (reachable && wasAway)) return;
      wasAway ||= !reachable;
      await new Promise<void>((resolve) => clock.after(LOOK_EVERY_MS, resolve));
    }
  }

  #set(state: DiallerState): void {
    this.#state = state;
    for (const check of this.#watchers) check();
    this.#options.onChange();
  }
}
