import type { Client } from "../claude/admission/self-sent.ts";
import type { Frame } from "../claude/frames.ts";
import { type PeerIdentity, removePeerFiles } from "../claude/peer-files.ts";
import type { PeerRecordFields } from "../claude/peer-record.ts";
import { possibleInboxSockets } from "../claude/socket-directory.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { CcmError, toCcmError } from "../core/errors.ts";
import { MirrorChild } from "./mirror-child.ts";
import type { FromMirror, UnreadMessage } from "./mirror-protocol.ts";

/** Generous: dozens of mirrors start at once on a machine that may be busy. */
const READY_DEADLINE_MS = 30_000;

export interface MirrorAddress extends PeerIdentity {
  /** `uds:` and the socket path. */
  readonly address: string;
}

export type MirrorState =
  | { readonly kind: "starting" }
  | { readonly kind: "ready"; readonly mirror: MirrorAddress }
  | { readonly kind: "closing" }
  | { readonly kind: "ended"; readonly reason: MirrorEnd };

/** `closed`: because it was asked to. `unusable`: it could not enter the registry. `died`: by itself, or killed by another. */
export interface MirrorEnd {
  readonly kind: "closed" | "unusable" | "died";
  readonly error: CcmError | undefined;
}

export interface MirrorOptions {
  readonly name: string;
  /** What its record says beside its name and its process. */
  readonly record: PeerRecordFields;
  readonly env: NodeJS.ProcessEnv;
  readonly claudeConfig: string;
  /**
   * A local session wrote to the mirror. Settles when the frame got there or its sender has been told that it did not; if the daemon
   * dies before that, the mirror tells the sender that it does not know.
   */
  readonly onFrame: (frame: Frame, client: Client | undefined) => Promise<void>;
  /** Makes the mirror say who had connected: by this token they show that they are processes of whom it stands for. */
  readonly childToken?: string;
  /** Why nothing is known of a message when this process is gone; that the daemon ended, unless told otherwise. */
  readonly orphaned?: string;
  /** The mirror was killed before it had handed on the whole of a message that its sender may believe to be taken. */
  readonly onLost?: (message: UnreadMessage) => void;
  readonly onProblem: (message: string) => void;
  /** Once, when the process is gone and its files are too. */
  readonly onExit: (reason: MirrorEnd) => void;
  readonly clock?: Clock;
}

/** The daemon's handle on one mirror process. */
export interface Mirror {
  readonly state: MirrorState;
  /** Rejects with a {@link CcmError} if it never gets there. */
  readonly ready: Promise<MirrorAddress>;
  /** Changes fields of its record, `name` among them; the address stays. */
  update(record: PeerRecordFields): void;
  /**
   * Writes a frame to a local session in the mirror's name, in the order of the calls for each target. Rejects with
   * `undeliverable` or `too_large`, and with `unconfirmed` if the mirror ends before it has said what became of it.
   */
  deliver(target: PeerIdentity, frame: Frame): Promise<void>;
  /** Ends it, once every frame that it has handed on is settled: stdin, then TERM, then KILL. Settles when it is gone; may be called again. */
  close(): Promise<void>;
}

/** Starts a mirror process. What it is asked before it is ready waits for that. */
export function openMirror(options: MirrorOptions): Mirror {
  return new MirrorHandle(options);
}

interface PendingDelivery {
  readonly resolve: () => void;
  readonly reject: (error: CcmError) => void;
}

class MirrorHandle implements Mirror {
  readonly ready: Promise<MirrorAddress>;
  readonly #options: MirrorOptions;
  readonly #child: MirrorChild;
  readonly #pending = new Map<number, PendingDelivery>();
  readonly #coming = new Map<number, UnreadMessage>();
  readonly #relaying = new Set<Promise<void>>();
  readonly #readiness = Promise.withResolvers<MirrorAddress>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #cancelDeadline: () => void;
  #state: MirrorState = { kind: "starting" };
  #failure: CcmError | undefined;
  #lastId = 0;

  constructor(options: MirrorOptions) {
    const { name, record, env, claudeConfig, clock = systemClock } = options;
    this.#options = options;
    this.ready = this.#readiness.promise;
    // Whoever waits for it is told; if nobody does, `onExit` says the same.
    this.ready.catch(() => {});
    this.#child = new MirrorChild({
      env,
      clock,
      onMessage: (message) => this.#take(message),
      onProblem: (message) => options.onProblem(`mirror ${name}: ${message}`),
      onEnd: (how) => this.#end(how),
    });
    const { childToken, orphaned } = options;
    const vetting = { ...(childToken !== undefined && { childToken }), ...(orphaned !== undefined && { orphaned }) };
    this.#child.tell({ op: "open", claudeConfig, name, record, ...vetting });
    this.#cancelDeadline = clock.after(READY_DEADLINE_MS, () => {
      this.#failure = new CcmError("timeout", `the mirror ${name} was not ready within ${READY_DEADLINE_MS / 1000} s`);
      this.#child.kill();
    });
  }

  get state(): MirrorState {
    return this.#state;
  }

  update(record: PeerRecordFields): void {
    const fields = Object.entries(record).map(([field, value]) => [field, value ?? null]);
    if (this.#takesOrders()) this.#child.tell({ op: "update", record: Object.fromEntries(fields) });
  }

  deliver(target: PeerIdentity, frame: Frame): Promise<void> {
    if (!this.#takesOrders()) return Promise.reject(new CcmError("undeliverable", `the mirror ${this.#options.name} has ended`));
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#child.tell({ op: "deliver", id, target, frame });
    });
  }

  async close(): Promise<void> {
    while (this.#relaying.size > 0) await Promise.allSettled(this.#relaying);
    if (this.#takesOrders()) {
      this.#state = { kind: "closing" };
      this.#cancelDeadline();
      this.#child.close();
    }
    await this.#ended.promise;
  }

  #takesOrders(): boolean {
    return this.#state.kind === "starting" || this.#state.kind === "ready";
  }

  #take(message: FromMirror): void {
    if (message.op === "ready") this.#becomeReady(message);
    else if (message.op === "coming") this.#coming.set(message.id, message);
    else if (message.op === "frame") this.#relay(message);
    else if (message.op === "delivered") this.#takePending(message.id)?.resolve();
    else if (message.op === "failed") this.#takePending(message.id)?.reject(errorFrom(message));
    else if (message.op === "problem") this.#options.onProblem(`mirror ${this.#options.name}: ${message.message}`);
    else if (message.op === "unusable") this.#failure = errorFrom(message);
  }

  /** What comes after the close is not relayed: the mirror tells its sender. */
  #relay({ id, frame, client }: FromMirror & { op: "frame" }): void {
    this.#coming.delete(id);
    if (!this.#takesOrders()) return;
    const relaying = this.#options.onFrame(frame, client).finally(() => {
      this.#relaying.delete(relaying);
      this.#child.tell({ op: "settled", id });
    });
    this.#relaying.add(relaying);
    relaying.catch((error: unknown) => this.#options.onProblem(`mirror ${this.#options.name}: ${toCcmError(error).message}`));
  }

  #becomeReady({ op: _op, ...mirror }: FromMirror & { op: "ready" }): void {
    this.#readiness.resolve(mirror);
    this.#cancelDeadline();
    if (this.#state.kind === "starting") this.#state = { kind: "ready", mirror };
  }

  #takePending(id: number): PendingDelivery | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #end(how: string): void {
    this.#cancelDeadline();
    this.#removeFiles();
    const reason = this.#whyEnded(how);
    this.#state = { kind: "ended", reason };
    this.#readiness.reject(
      reason.error ?? new CcmError("undeliverable", `the mirror ${this.#options.name} was closed before it was ready`),
    );
    const unconfirmed = new CcmError("unconfirmed", `the mirror ${this.#options.name} ended before it said whether it had delivered`);
    for (const { reject } of this.#pending.values()) reject(unconfirmed);
    this.#pending.clear();
    this.#ended.resolve();
    this.#options.onExit(reason);
    for (const { from, messageId } of this.#coming.values()) this.#options.onLost?.({ from, messageId });
  }

  #whyEnded(how: string): MirrorEnd {
    if (this.#failure) return { kind: "unusable", error: this.#failure };
    if (this.#state.kind === "closing") return { kind: "closed", error: undefined };
    return { kind: "died", error: new CcmError("internal", `the mirror ${this.#options.name} ended ${how}`) };
  }

  /** A mirror that was killed could not clear up after itself. */
  #removeFiles(): void {
    const { identity } = this.#child;
    if (!identity) return;
    for (const socketPath of possibleInboxSockets(this.#options.env, identity.pid)) {
      removePeerFiles(this.#options.claudeConfig, { ...identity, socketPath });
    }
  }
}

function errorFrom({ code, message, hint }: FromMirror & { op: "failed" | "unusable" }): CcmError {
  return new CcmError(code, message, hint === undefined ? {} : { hint });
}
