import type { Counters } from "../audit/counters.ts";
import { messagePreview } from "../audit/message-preview.ts";
import type { Trail } from "../audit/trail.ts";
import { parseEnvelope } from "../claude/envelope.ts";
import { type Frame, isUserFrame } from "../claude/frames.ts";
import type { CcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import type { FileEvent } from "../link/file-event.ts";
import type { StateChange } from "../link/message-state.ts";
import type { Peer } from "../link/peer.ts";

/** States that a message only passes through. */
const PASSING = new Set<string>(["queued", "sent"]);

/** What the links write into the audit trail, and whoever else wants to know what becomes of a message. */
export class RelayTrail {
  readonly #trail: Trail;
  readonly #counters: Counters;
  readonly #previewCharacters: () => number;
  readonly #followers = new Map<string, Set<(change: StateChange) => void>>();

  constructor(trail: Trail, counters: Counters, previewCharacters: () => number) {
    this.#trail = trail;
    this.#counters = counters;
    this.#previewCharacters = previewCharacters;
  }

  linkUp(peer: Peer): void {
    this.#trail.append({ ev: "link_up", peer: peer.label, direction: peer.direction });
  }

  linkDown(peer: Peer, error: CcmError): void {
    this.#trail.append({ ev: "link_down", peer: peer.label, code: error.code, error: error.message, ...peer.counters });
  }

  linkRefused(label: string, error: CcmError): void {
    this.#trail.append({ ev: "link_refused", peer: label, code: error.code, error: plainLine(error.message) });
  }

  /** Tells `follower` of every state that the message gets from now on. Returns what ends it. */
  follow(messageId: string, follower: (change: StateChange) => void): () => void {
    const followers = this.#followers.get(messageId) ?? new Set();
    this.#followers.set(messageId, followers.add(follower));
    return () => {
      followers.delete(follower);
      if (followers.size === 0) this.#followers.delete(messageId);
    };
  }

  /** One `state` line a step, and for a message itself `relay_out` or `relay_in` when it is known how that ended. */
  state(peer: Peer, direction: "out" | "in", frame: Frame, { messageId, state, reason }: StateChange): void {
    const about = { msg_id: messageId, peer: peer.label, state, ...(reason !== undefined && { reason }) };
    this.#trail.append({ ev: "state", ...about });
    if (isUserFrame(frame) && !PASSING.has(state)) {
      const ok = state === "written";
      this.#counters.add(peer.label, ok ? (direction === "out" ? "sent" : "received") : "failed");
      this.#trail.append({ ev: direction === "out" ? "relay_out" : "relay_in", ...about, ok, ...this.#text(frame) });
    }
    for (const follower of this.#followers.get(messageId) ?? []) follower({ messageId, state, reason });
  }

  file(peer: Peer, { direction, messageId, name, bytes, tookMs, fault }: FileEvent): void {
    const how = { ok: fault === undefined, ...(tookMs !== undefined && { ms: tookMs }), ...(fault !== undefined && { reason: fault }) };
    this.#trail.append({ ev: `file_${direction}`, msg_id: messageId, peer: peer.label, file: plainLine(name, 120), bytes, ...how });
  }

  #text(frame: Frame): Record<string, string> {
    const characters = this.#previewCharacters();
    if (!isUserFrame(frame)) return {};
    const envelope = parseEnvelope(frame.message.content);
    const sender = envelope?.fromName === undefined ? {} : { sender: plainLine(envelope.fromName, 80) };
    return { ...sender, ...messagePreview(envelope?.body ?? frame.message.content, characters) };
  }
}
