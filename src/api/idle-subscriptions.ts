import type { Clock } from "../core/clock.ts";
import { readLightConfig } from "../core/light-config.ts";
import type { Paths } from "../core/paths.ts";
import { plainLine } from "../core/plain-text.ts";
import type { PeerProgram } from "../peer/peer-program.ts";
import { Recent } from "../peer/recent.ts";
import type { EventOf } from "../peer/schema/output.ts";
import { BoundedLog } from "./bounded-log.ts";
import type { IdleSubscription } from "./schema.ts";
import { targetOf } from "./sent-messages.ts";
import type { Sessions } from "./sessions.ts";

export interface IdleSubscriptionsOptions {
  readonly paths: Paths;
  readonly clock: Clock;
  readonly peer: PeerProgram;
  readonly sessions: Sessions;
  /** A subscription is no longer pending. */
  readonly onSettled: (subscription: IdleSubscription) => void;
}

type Answer = EventOf<"idle"> | EventOf<"gone">;

const LIMITS = { maxEntries: 1_000, maxCharacters: Number.POSITIVE_INFINITY };
const MAX_EARLY = 100;
const MAX_DETAIL = 500;
/** What a Date can hold. */
const MAX_TIME_MS = 8.64e15;

/** Who asked to be told when a session has nothing to do. The wire knows no way to take that back: a deleted one is forgotten here. */
export class IdleSubscriptions {
  readonly #options: IdleSubscriptionsOptions;
  readonly #log = new BoundedLog<IdleSubscription>(LIMITS);
  /** A session that is idle already may answer before it is known here that it has been asked. */
  readonly #early = new Recent<Answer>(MAX_EARLY);

  constructor(options: IdleSubscriptionsOptions) {
    this.#options = options;
  }

  /** Settles when the session has been asked. Rejects with `no_such_member`, `ambiguous_name` and `undeliverable`. */
  async create(to: string): Promise<IdleSubscription> {
    const { clock, peer, paths, sessions } = this.#options;
    const target = peer.directory.resolve(sessions.addressOf(to));
    const createdAt = new Date(clock.now()).toISOString();
    peer.watch(target);
    const { id } = await peer.outgoing.subscribe(peer.place(undefined).own, target);
    this.#log.put(id, { id, to: targetOf(target, readLightConfig(paths).label), state: "pending", created_at: createdAt }, 0);
    const early = this.#early.take(id);
    if (early) this.#settle(id, early);
    return this.#log.get(id) as IdleSubscription;
  }

  get(id: string): IdleSubscription | undefined {
    return this.#log.get(id);
  }

  delete(id: string): boolean {
    return this.#log.delete(id);
  }

  take(answer: Answer): void {
    const { subscription: id } = answer;
    if (id === undefined) return;
    if (this.#log.has(id)) this.#settle(id, answer);
    else this.#early.set(id, answer);
  }

  #settle(id: string, answer: Answer): void {
    const pending = this.#log.get(id);
    if (pending?.state !== "pending") return;
    const { finishedAt, detail } = answer.event === "idle" ? answer : {};
    const isTime = typeof finishedAt === "number" && Math.abs(finishedAt) <= MAX_TIME_MS;
    const settled: IdleSubscription = {
      ...pending,
      state: answer.event,
      settled_at: new Date(this.#options.clock.now()).toISOString(),
      ...(isTime && { finished_at: new Date(finishedAt).toISOString() }),
      ...(typeof detail === "string" && { detail: plainLine(detail, MAX_DETAIL) }),
    };
    this.#log.put(id, settled, 0);
    this.#options.onSettled(settled);
  }
}
