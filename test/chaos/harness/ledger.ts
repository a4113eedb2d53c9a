import type { ChaosEvent } from "../fixtures/chaos-session.ts";
import type { ChaosSession } from "./chaos-session.ts";

export interface Message {
  readonly id: string;
  /** Empty, as the next four, until its sender has said that it writes it: that can be heard after it has arrived. */
  from: string;
  to: string;
  n: number;
  bytes: number;
  at: number;
  /** How the write into the mirror ended for the sender; undefined if the sender ended first. */
  wrote?: "sent" | "failed";
  why?: string;
  readonly got: { readonly at: number; readonly whole: boolean }[];
  /** `ccm` said that it was not delivered. */
  dropped: number;
  /** `ccm` said that it does not know. */
  unconfirmed: number;
  reason?: string;
}

export type Fate =
  | "delivered"
  /** Not delivered, and its sender knows or was told that it may not have been. */
  | "dropped"
  | "unconfirmed"
  | "failed"
  /** Not delivered, and there is nobody to tell any more. */
  | "sender gone"
  /** The inbox had taken it, as the trail says, and then its session was killed. */
  | "died with its target"
  /** What must never be. */
  | "silent"
  | "duplicate"
  | "damaged"
  /** Delivered, and its sender was told that it was not. */
  | "denied";

export const forbiddenFates: readonly Fate[] = ["silent", "duplicate", "damaged", "denied"];

export interface Witness {
  /** When a session ended, if it did. */
  endedAt(session: string): number | undefined;
  /** Whether the trail of the target's machine has it as written. */
  wasWritten(message: Message): boolean;
}

/** What every session wrote, got and was told. */
export class Ledger {
  readonly #messages = new Map<string, Message>();
  readonly strange: string[] = [];
  /** Arrivals in their order, for each pair of sender and target. */
  readonly #arrivals = new Map<string, number[]>();

  get messages(): Message[] {
    return [...this.#messages.values()].filter(({ from }) => from !== "");
  }

  /** What somebody got or was told about, and nobody had written. */
  get unheardOf(): Message[] {
    return [...this.#messages.values()].filter(({ from }) => from === "");
  }

  take(session: ChaosSession, event: ChaosEvent): void {
    switch (event.event) {
      case "sending": {
        const { id, to, n, bytes, at } = event;
        return this.#note(id, (message) => Object.assign(message, { from: session.key, to, n, bytes, at }));
      }
      case "sent":
      case "failed":
        return this.#note(event.id, (message) => {
          message.wrote = event.event;
          if (event.event === "failed") message.why = event.why;
        });
      case "got":
        this.#arrive(`${event.from} ${session.key}`, event.n);
        return this.#note(event.id, ({ got }) => got.push({ at: event.at, whole: event.whole }));
      case "receipt":
        return this.#note(event.id, (message) => {
          if (event.status === "dropped") message.dropped += 1;
          if (event.reason !== undefined) message.reason = event.reason;
        });
      case "notice":
        return this.#note(event.id, (message) => {
          message.unconfirmed += 1;
        });
      case "strange":
        this.strange.push(`${session.key}: ${event.what}`);
    }
  }

  /** Messages of which nothing is known yet though somebody could know. */
  open(witness: Witness): Message[] {
    return this.messages.filter((message) => fateOf(message, witness) === "silent");
  }

  /** How many messages came after a later one of the same sender to the same target. */
  outOfOrder(): number {
    let count = 0;
    for (const numbers of this.#arrivals.values()) {
      for (const [index, number] of numbers.entries()) if (index > 0 && number < (numbers[index - 1] ?? 0)) count += 1;
    }
    return count;
  }

  #arrive(pair: string, n: number): void {
    const numbers = this.#arrivals.get(pair) ?? [];
    this.#arrivals.set(pair, numbers);
    numbers.push(n);
  }

  #note(id: string, change: (message: Message) => void): void {
    const message = this.#messages.get(id) ?? { id, from: "", to: "", n: 0, bytes: 0, at: 0, got: [], dropped: 0, unconfirmed: 0 };
    this.#messages.set(id, message);
    change(message);
  }
}

/** What is known of a message at both of its ends. */
export function fateOf(message: Message, witness: Witness): Fate {
  if (message.got.length > 1) return "duplicate";
  if (message.got.length === 1) {
    if (!message.got[0]?.whole) return "damaged";
    return message.dropped > 0 ? "denied" : "delivered";
  }
  if (message.dropped > 0) return "dropped";
  if (message.unconfirmed > 0) return "unconfirmed";
  if (message.wrote === "failed") return "failed";
  if (witness.endedAt(message.from) !== undefined) return "sender gone";
  if (witness.endedAt(message.to) !== undefined && witness.wasWritten(message)) return "died with its target";
  return "silent";
}
