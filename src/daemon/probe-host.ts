import net from "node:net";
import { type Clock, systemClock } from "../core/clock.ts";
import { resolveTarget, type SshTarget } from "../ssh/ssh-target.ts";

const PROBE_MS = 1_000;
/** A configuration may say something else in another network; asking it starts an ssh. */
const RESOLVE_AGAIN_MS = 60_000;

/**
 * Asks over and over whether a host can be reached at all, which is cheaper and quicker than to dial it: one TCP connection,
 * closed at once. Hosts behind a jump or a proxy command cannot be asked like this.
 */
export class HostProbe {
  readonly #host: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #clock: Clock;
  #target: SshTarget | undefined;
  #resolvedAtMs = 0;

  constructor(host: string, environment: NodeJS.ProcessEnv, clock = systemClock) {
    this.#host = host;
    this.#environment = environment;
    this.#clock = clock;
  }

  /** Settles with whether a connection came up within a second; undefined where that cannot be asked. Never rejects. */
  async isReachable(): Promise<boolean | undefined> {
    const target = await this.#resolve();
    if (!target || target.proxyJump !== undefined || target.proxyCommand !== undefined) return undefined;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const socket = net.connect({ host: target.host, port: target.port });
    socket.setTimeout(PROBE_MS, () => resolve(false));
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    return promise.finally(() => socket.destroy());
  }

  async #resolve(): Promise<SshTarget | undefined> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#target && nowMs - this.#resolvedAtMs < RESOLVE_AGAIN_MS) return this.#target;
    this.#resolvedAtMs = nowMs;
    this.#target = await resolveTarget(this.#host, { env: this.#environment }).catch(() => undefined);
    return this.#target;
  }
}
