import { randomUuid } from "../core/random.ts";
import type { IdleNoticeFrame, IdleSubscriptionFrame } from "./frames.ts";

/** One a sender; of too many senders the oldest is forgotten. */
export const MAX_SUBSCRIPTIONS = 256;

export interface TurnEnd {
  /** Milliseconds since the epoch. */
  readonly finishedAt: number;
  /** The beginning of what was said last. */
  readonly detail?: string | undefined;
}

/** A notice and whom it is for: the address that asked. */
export interface AddressedNotice {
  readonly to: string;
  readonly notice: IdleNoticeFrame;
}

/** Who wants to know when a session is idle. Each is told once. */
export class IdleSubscriptions {
  /** The address of the session that is asked about; another one when its process has been replaced. */
  from: string;
  readonly #fromMode: string | undefined;
  readonly #waiting = new Map<string, string>();

  constructor(from: string, fromMode?: string | undefined) {
    this.from = from;
    this.#fromMode = fromMode;
  }

  /** The notice, if the session is idle already. A second question of one sender replaces its first. */
  ask({ from, msg_id: messageId }: IdleSubscriptionFrame, idleSince: TurnEnd | undefined): AddressedNotice | undefined {
    if (from === undefined || messageId === undefined) return undefined;
    if (idleSince) return { to: from, notice: this.#notice("idle", messageId, idleSince) };
    this.#waiting.delete(from);
    this.#waiting.set(from, messageId);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > MAX_SUBSCRIPTIONS && oldest !== undefined) this.#waiting.delete(oldest);
    return undefined;
  }

  /** The notices of a session that has become idle, or has ended. */
  tellAll(state: "idle" | "exited", turnEnd: TurnEnd): AddressedNotice[] {
    const notices = [...this.#waiting].map(([to, messageId]) => ({ to, notice: this.#notice(state, messageId, turnEnd) }));
    this.#waiting.clear();
    return notices;
  }

  #notice(state: "idle" | "exited", subscription: string, { finishedAt, detail }: TurnEnd): IdleNoticeFrame {
    return {
      type: "control",
      action: "peer_idle_notice",
      orig_msg_id: subscription,
      state,
      finished_at: finishedAt,
      ...(detail !== undefined && { detail }),
      from: this.from,
      ...(this.#fromMode !== undefined && { from_mode: this.#fromMode }),
      msgV: 1,
      msg_id: randomUuid(),
    };
  }
}

/** Asks the session that it is written to for one notice. */
export function idleSubscription(from: string, fromMode?: string | undefined): IdleSubscriptionFrame {
  return {
    type: "control",
    action: "notify_when_idle",
    from,
    ...(fromMode !== undefined && { from_mode: fromMode }),
    msgV: 1,
    msg_id: randomUuid(),
  };
}
