import { type Clock, systemClock } from "../../core/clock.ts";
import { parseEnvelope } from "../envelope.ts";
import type { DropReason, UserFrame } from "../frames.ts";
import { type Consent, type InboundPolicy, judgeConsent, type ModeClass } from "./consent.ts";
import { DuplicateGuard } from "./duplicate-guard.ts";
import { judgeHopChain } from "./hop-chain.ts";
import { RateGuard } from "./rate-guard.ts";
import type { BucketSize } from "./token-bucket.ts";

/** Messages that were taken and that the receiver has not got yet. */
export const MAX_QUEUED = 50;

export interface AdmissionOptions {
  readonly policy: InboundPolicy;
  readonly ownMode?: ModeClass | undefined;
  readonly clock?: Clock;
  /** {@link MAX_QUEUED} unless told otherwise. */
  readonly maxQueued?: number;
  /** Claude Code's numbers unless told otherwise. */
  readonly rate?: BucketSize;
}

export interface Arrival {
  readonly frame: UserFrame;
  /** As self-sent.ts tells it. */
  readonly isSelfSent: boolean;
  /** The mark of the address that it came to, and the session that has it. */
  readonly ownToken: string;
  readonly sessionId: string;
  /** How many messages wait to be read. */
  readonly queued: number;
}

/** `ignore`: nobody is told anything, as of a message to a session that is gone. */
export type Verdict = Consent | { readonly kind: "drop"; readonly reason: DropReason } | { readonly kind: "ignore"; readonly why: string };

/** Decides of each message that reaches an inbox what becomes of it. One for each name: senders are counted by whom they write to. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #duplicates: DuplicateGuard;
  readonly #rates: RateGuard;

  constructor(options: AdmissionOptions) {
    const { clock = systemClock } = options;
    this.#options = options;
    this.#duplicates = new DuplicateGuard(clock);
    this.#rates = new RateGuard(clock, options.rate);
  }

  judge(arrival: Arrival): Verdict {
    const { frame, isSelfSent } = arrival;
    const { policy, ownMode } = this.#options;
    const meant = frame["session_id"];
    if (meant !== undefined && meant !== arrival.sessionId) return { kind: "ignore", why: "it is for another session" };
    const reason = this.#whyDropped(arrival);
    if (reason) return { kind: "drop", reason };
    return judgeConsent({ policy, ownMode, senderMode: attestedMode(frame), isSelfSent });
  }

  /** In the order of what costs least. A message that is dropped is not remembered, so it may come again. */
  #whyDropped({ frame, ownToken, queued }: Arrival): DropReason | undefined {
    const sender = frame.from ?? "";
    const envelope = parseEnvelope(frame.message.content);
    const body = envelope?.body ?? frame.message.content;
    const hops = judgeHopChain(envelope?.hopChain, ownToken);
    if (hops) return hops;
    if (queued >= (this.#options.maxQueued ?? MAX_QUEUED)) return "queue-full";
    if (this.#duplicates.isDuplicate(sender, body)) return "duplicate";
    if (!this.#rates.take(sender)) return "rate-limited";
    this.#duplicates.remember(sender, body);
    return undefined;
  }
}

/** What a sender declares of itself. Where the envelope names another sender than the frame, nobody has declared anything. */
export function attestedMode({ from, message }: UserFrame): ModeClass | undefined {
  const envelope = parseEnvelope(message.content);
  return envelope?.from === from ? (envelope?.fromMode as ModeClass | undefined) : undefined;
}
