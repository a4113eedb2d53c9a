import { randomUuid } from "../core/random.ts";
import type { ControlFrame } from "./frames.ts";

export const MAX_SLUGS = 16;
/** A request that is older is not answered: who sent it no longer waits. */
export const YIELD_FRESHNESS_MS = 4_000;

export interface YieldAnswer {
  readonly answer: ControlFrame;
  readonly yielded: readonly string[];
}

export interface Requester {
  /** As its record says it: undefined where it has none. */
  readonly sessionId: string | undefined;
  readonly nowMs: number;
}

/**
 * The artifacts whose replies one process of a conversation writes. Another process of the same conversation may ask for them, and may
 * hand them back.
 */
export class ArtifactReplies {
  /** The address of this process. */
  from: string;
  readonly #sessionId: string;
  readonly #held = new Set<string>();

  constructor(from: string, sessionId: string) {
    this.from = from;
    this.#sessionId = sessionId;
  }

  get held(): readonly string[] {
    return [...this.#held];
  }

  hold(slugs: readonly string[]): void {
    for (const slug of slugs) this.#held.add(slug);
  }

  /** Answers a request; undefined for one that is stale, malformed or not of this conversation, which is not answered at all. */
  yield(request: ControlFrame, { sessionId, nowMs }: Requester): YieldAnswer | undefined {
    const slugs = slugsOf(request);
    const { msg_id: messageId, session_id: meant, sent_at: sentAt } = request;
    if (messageId === undefined || slugs === undefined || sessionId !== this.#sessionId) return undefined;
    if (meant !== undefined && meant !== this.#sessionId) return undefined;
    if (typeof sentAt === "number" && Math.abs(nowMs - sentAt) > YIELD_FRESHNESS_MS) return undefined;
    const yielded = slugs.filter((slug) => this.#held.delete(slug));
    const notHeld = slugs.filter((slug) => !yielded.includes(slug));
    return { yielded, answer: this.#frame("artifact_replies_yielded", { orig_msg_id: messageId, yielded, not_held: notHeld }) };
  }

  /** What is handed back, of a frame of this conversation. */
  takeBack(handBack: ControlFrame, { sessionId }: Pick<Requester, "sessionId">): readonly string[] {
    const slugs = slugsOf(handBack);
    if (slugs === undefined || sessionId !== this.#sessionId) return [];
    this.hold(slugs);
    return slugs;
  }

  request(slugs: readonly string[], reason: "resume" | "claim", nowMs: number): ControlFrame {
    return this.#frame("yield_artifact_replies", { session_id: this.#sessionId, slugs: slugs.slice(0, MAX_SLUGS), reason, sent_at: nowMs });
  }

  /** Hands back what the answer to a request of ours gave. */
  handBack(requestId: string, slugs: readonly string[]): ControlFrame {
    for (const slug of slugs) this.#held.delete(slug);
    return this.#frame("unyield_artifact_replies", { orig_msg_id: requestId, slugs: slugs.slice(0, MAX_SLUGS) });
  }

  #frame(action: string, fields: Readonly<Record<string, unknown>>): ControlFrame {
    return { type: "control", action, ...fields, from: this.from, msgV: 1, msg_id: randomUuid() };
  }
}

function slugsOf({ slugs }: ControlFrame): string[] | undefined {
  if (!Array.isArray(slugs) || slugs.length > MAX_SLUGS) return undefined;
  return slugs.every((slug) => typeof slug === "string") ? slugs : undefined;
}
