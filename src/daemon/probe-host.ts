import net from "node:net";
import { resolveTarget, type SshTarget } from "../ssh/ssh-target.ts";

const PROBE_MS = 1_000;

/**
 * Asks over and over whether a host can be reached at all, which is cheaper and quicker than to dial it: one TCP connection,
 * closed at once. Hosts behind a jump or a proxy command cannot be asked like this.
 */
export class HostProbe {
  readonly #host: string;
  readonly #environment: NodeJS.ProcessEnv;
  #target: Promise<SshTarget> | undefined;

  constructor(host: string, environment: NodeJS.ProcessEnv) {
    this.#host = host;
    this.#environment = environment;
  }

  /** Settles with whether a connection came up within a second; undefined where that cannot be asked. Never rejects. */
  async isReachable(): Promise<boolean | undefined> {
    this.#target ??= resolveTarget(this.#host, { env: this.#environment });
    const target = await this.#target.catch(() => undefined);
    if (!target || target.proxyJump !== undefined || target.proxyCommand !== undefined) return undefined;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const socket = net.connect({ host: target.host, port: target.port });
    socket.setTimeout(PROBE_MS, () => resolve(false));
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    return promise.finally(() => socket.destroy());
  }
}
