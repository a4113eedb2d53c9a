import type { Client } from "../claude/admission/self-sent.ts";
import type { Frame } from "../claude/frames.ts";
import type { PeerIdentity } from "../claude/peer-files.ts";
import type { PeerRecordFields } from "../claude/peer-record.ts";
import type { Clock } from "../core/clock.ts";
import { CcmError } from "../core/errors.ts";
import { randomHex, randomUuid } from "../core/random.ts";
import { type Mirror, type MirrorAddress, type MirrorEnd, type MirrorOptions, openMirror } from "../mirror/mirror.ts";

/** In the records of peers; never that of a mirror, which stands for a session of another machine. */
export const PEER_AGENT = "ccm-peer";
/** One that dies again at once is started after a growing pause; one that has lived this long begins anew. */
const STEADY_MS = 10_000;
const PAUSES_MS = [0, 500, 2_000, 10_000, 30_000];

export interface OwnNameOptions {
  readonly name: string;
  /** A new one unless one is given. */
  readonly sessionId?: string | undefined;
  readonly record: PeerRecordFields;
  readonly env: NodeJS.ProcessEnv;
  readonly claudeConfig: string;
  readonly clock: Clock;
  readonly onReady: (name: OwnName, address: MirrorAddress) => void;
  readonly onFrame: (name: OwnName, frame: Frame, client: Client) => Promise<void>;
  readonly onProblem: (message: string) => void;
}

/**
 * One name of the peer, and the process that is listed under it: started when first needed, replaced when it dies, gone with this program
 * however that ends. What others see of it (session id, token for children) stays the same over replacements; the address does not.
 */
export class OwnName {
  readonly name: string;
  readonly sessionId: string;
  readonly childToken = randomHex(16);
  readonly #options: OwnNameOptions;
  #record: PeerRecordFields;
  #mirror: Mirror | undefined;
  #deaths = 0;
  #readyAtMs = 0;
  #cancelRestart: (() => void) | undefined;
  #isRetired = false;

  constructor(options: OwnNameOptions) {
    this.name = options.name;
    this.sessionId = options.sessionId ?? randomUuid();
    this.#options = options;
    this.#record = { ...options.record, agent: PEER_AGENT, sessionId: this.sessionId };
  }

  /** Where it is listed now, if it is. */
  get address(): MirrorAddress | undefined {
    return this.#mirror?.state.kind === "ready" ? this.#mirror.state.mirror : undefined;
  }

  /** Settles when it is listed. Rejects with `undeliverable` once it is retired, and with what keeps its process from being listed. */
  async start(): Promise<MirrorAddress> {
    if (this.#isRetired) throw retired(this.name);
    return (this.#mirror ?? this.#open()).ready;
  }

  update(record: PeerRecordFields): void {
    this.#record = { ...this.#record, ...record };
    this.#mirror?.update(record);
  }

  /** As {@link Mirror.deliver}. */
  async deliver(target: PeerIdentity, frame: Frame): Promise<void> {
    if (!this.#mirror) throw retired(this.name);
    await this.#mirror.deliver(target, frame);
  }

  /** Leaves the registry. May be called again. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    this.#cancelRestart?.();
    await this.#mirror?.close();
  }

  #open(): Mirror {
    const { name, env, claudeConfig, clock, onReady, onProblem } = this.#options;
    this.#cancelRestart = undefined;
    const options: MirrorOptions = {
      name,
      record: this.#record,
      env,
      claudeConfig,
      clock,
      childToken: this.childToken,
      orphaned: "the program behind it ended",
      onFrame: (frame, client = { credential: "peer" }) => this.#options.onFrame(this, frame, client),
      onProblem,
      onExit: (end) => this.#replace(end),
    };
    const mirror = openMirror(options);
    this.#mirror = mirror;
    mirror.ready.then(
      (address) => {
        this.#readyAtMs = clock.monotonicMs();
        onReady(this, address);
      },
      () => undefined,
    );
    return mirror;
  }

  #replace({ error }: MirrorEnd): void {
    this.#mirror = undefined;
    if (this.#isRetired) return;
    const { clock, onProblem } = this.#options;
    const wasSteady = this.#readyAtMs > 0 && clock.monotonicMs() - this.#readyAtMs >= STEADY_MS;
    this.#deaths = wasSteady ? 1 : this.#deaths + 1;
    // One that never was listed is the business of whoever asked for it.
    if (this.#readyAtMs === 0) return;
    const pauseMs = PAUSES_MS[Math.min(this.#deaths - 1, PAUSES_MS.length - 1)] ?? 0;
    onProblem(`${this.name}: ${error?.message ?? "its process ended"}; another takes its place${pauseMs > 0 ? ` in ${pauseMs} ms` : ""}`);
    this.#cancelRestart = clock.after(pauseMs, () => this.#mirror ?? this.#open());
  }
}

function retired(name: string): CcmError {
  return new CcmError("undeliverable", `${name} is no name of this peer any more`);
}
