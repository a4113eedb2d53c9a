import type { Frame, IdleNoticeFrame } from "../claude/frames.ts";
import type { RegistryEntry } from "../claude/registry.ts";
import type { Clock } from "../core/clock.ts";
import { toCcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import { randomUuid } from "../core/random.ts";
import { isSameMember } from "../members/same-member.ts";
import type { ApiPeer } from "./api-peer.ts";
import { BoundedLog } from "./bounded-log.ts";
import type { IdleSubscription } from "./schema.ts";
import type { FoundTarget, Sessions } from "./sessions.ts";

export interface IdleSubscriptionsOptions {
  readonly clock: Clock;
  readonly peer: ApiPeer;
  readonly sessions: Sessions;
  /** A subscription is no longer pending. */
  readonly onSettled: (subscription: IdleSubscription) => void;
}

interface Kept {
  readonly target: FoundTarget;
  subscription: IdleSubscription;
}

const LIMITS = { maxEntries: 1_000, maxCharacters: Number.POSITIVE_INFINITY };
const MAX_DETAIL = 500;
/** A mirror that died is replaced sooner, and a session that ends in order has said so by then. */
const GONE_AFTER_MS = 3_000;
/** What a Date can hold. */
const MAX_TIME_MS = 8.64e15;

/** Who asked to be told when a session has nothing to do. The wire knows no way to take that back: a deleted one is forgotten here. */
export class IdleSubscriptions {
  readonly #options: IdleSubscriptionsOptions;
  readonly #log = new BoundedLog<Kept>(LIMITS);
  readonly #timers = new Set<() => void>();
  #entries: readonly RegistryEntry[] = [];

  constructor(options: IdleSubscriptionsOptions) {
    this.#options = options;
  }

  /** Throws what `Sessions.target` does. */
  create(to: string): IdleSubscription {
    const { clock, peer, sessions } = this.#options;
    const target = sessions.target(to);
    const id = randomUuid();
    const createdAt = new Date(clock.now()).toISOString();
    const about = { name: target.name, machine: target.machine };
    const subscription: IdleSubscription = { id, to: about, state: "pending", created_at: createdAt };
    this.#log.put(id, { target, subscription }, 0);
    const frame: Frame = { type: "control", action: "notify_when_idle", from: peer.address, msgV: 1, msg_id: id };
    peer.deliver(target.identity, frame).catch((error: unknown) => this.#settle(id, { state: "failed", reason: reasonOf(error) }));
    return subscription;
  }

  get(id: string): IdleSubscription | undefined {
    return this.#log.get(id)?.subscription;
  }

  delete(id: string): boolean {
    return this.#log.delete(id);
  }

  takeNotice({ orig_msg_id: id, state, finished_at: finishedAt, detail }: IdleNoticeFrame): void {
    if (state !== "idle" && state !== "exited") return;
    const isTime = typeof finishedAt === "number" && Math.abs(finishedAt) <= MAX_TIME_MS;
    this.#settle(id, {
      state,
      ...(isTime && { finished_at: new Date(finishedAt).toISOString() }),
      ...(typeof detail === "string" && { detail: plainLine(detail, MAX_DETAIL) }),
    });
  }

  /** Who was killed says nothing. */
  takeRegistry(entries: readonly RegistryEntry[]): void {
    this.#entries = entries;
    const missing = this.#log.values().filter(({ target, subscription }) => subscription.state === "pending" && !isThere(target, entries));
    if (missing.length > 0) this.#later(() => this.#settleGone(missing));
  }

  #settleGone(missing: readonly Kept[]): void {
    for (const { target, subscription } of missing) {
      if (!isThere(target, this.#entries)) this.#settle(subscription.id, { state: "gone", reason: "the session has ended" });
    }
  }

  close(): void {
    for (const cancel of this.#timers) cancel();
  }

  #settle(id: string, outcome: Partial<IdleSubscription> & Pick<IdleSubscription, "state">): void {
    const kept = this.#log.get(id);
    if (kept?.subscription.state !== "pending") return;
    kept.subscription = { ...kept.subscription, ...outcome, settled_at: new Date(this.#options.clock.now()).toISOString() };
    this.#options.onSettled(kept.subscription);
  }

  #later(callback: () => void): void {
    const cancel = this.#options.clock.after(GONE_AFTER_MS, () => {
      this.#timers.delete(cancel);
      callback();
    });
    this.#timers.add(cancel);
  }
}

function isThere(target: FoundTarget, entries: readonly RegistryEntry[]): boolean {
  return entries.some((entry) => !entry.unreachable && isSameMember(entry, target.entry));
}

function reasonOf(error: unknown): string {
  return plainLine(toCcmError(error).message);
}
