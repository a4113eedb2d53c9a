import type { Clock } from "../core/clock.ts";

export interface HeartbeatOptions {
  readonly clock: Clock;
  /** Silence after which a ping is sent. */
  readonly pingAfterMs: number;
  /** Silence after which the other side counts as dead. */
  readonly deadAfterMs: number;
  readonly sendPing: () => void;
  readonly onDead: () => void;
}

/**
 * Watches a connection for life. Any byte counts; a ping goes out only in silence. A check that comes much later than asked for
 * means that this machine slept: then the other side gets one ping and a short while instead of being called dead unheard.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #lastLifeMs: number;
  #lastWallMs: number;
  #cancel: (() => void) | undefined;
  #deaf = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#lastLifeMs = options.clock.monotonicMs();
    this.#lastWallMs = options.clock.now();
    this.#schedule();
  }

  /** The other side said something. */
  life(): void {
    this.#lastLifeMs = this.#options.clock.monotonicMs();
  }

  /** While nobody listens the other side is not silent; it still gets a ping, to know that we live. */
  suspend(deaf: boolean): void {
    this.#deaf = deaf;
    this.life();
  }

  /** Pings now, and grants no more silence than the time until the check after the next. */
  verify(): void {
    const { clock, deadAfterMs, pingAfterMs, sendPing } = this.#options;
    this.#lastLifeMs = Math.min(this.#lastLifeMs, clock.monotonicMs() - (deadAfterMs - pingAfterMs));
    sendPing();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #schedule(): void {
    const { clock, pingAfterMs } = this.#options;
    this.#cancel = clock.after(pingAfterMs, () => this.#check());
  }

  #check(): void {
    const { clock, deadAfterMs, pingAfterMs, sendPing, onDead } = this.#options;
    const wallMs = clock.now();
    const slept = wallMs - this.#lastWallMs > deadAfterMs;
    this.#lastWallMs = wallMs;
    // After a sleep the silence is ours: it gets one ping, and one check's time to answer it.
    if (slept) this.#lastLifeMs = clock.monotonicMs() - (deadAfterMs - pingAfterMs);
    if (this.#deaf) this.life();
    const silentMs = clock.monotonicMs() - this.#lastLifeMs;
    if (silentMs >= deadAfterMs) {
      this.stop();
      onDead();
      return;
    }
    if (silentMs >= pingAfterMs || slept || this.#deaf) sendPing();
    this.#schedule();
  }
}
