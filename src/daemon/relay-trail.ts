import type { Trail } from "../audit/trail.ts";
import { parseEnvelope } from "../claude/envelope.ts";
import { type Frame, isUserFrame } from "../claude/frames.ts";
import type { CcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import type { Outcome } from "../link/outbox.ts";
import type { Peer } from "../link/peer.ts";

/** What the links write into the audit trail. */
export class RelayTrail {
  readonly #trail: Trail;
  readonly #previewCharacters: () => number;

  constructor(trail: Trail, previewCharacters: () => number) {
    this.#trail = trail;
    this.#previewCharacters = previewCharacters;
  }

  linkUp(peer: Peer): void {
    this.#trail.append({ ev: "link_up", peer: peer.label, direction: peer.direction });
  }

  linkDown(peer: Peer, error: CcmError): void {
    this.#trail.append({ ev: "link_down", peer: peer.label, code: error.code, error: error.message, ...peer.counters });
  }

  relayed(peer: Peer, direction: "out" | "in", frame: Frame, outcome: Outcome): void {
    const { state, reason } = outcome;
    this.#trail.append({
      ev: direction === "out" ? "relay_out" : "relay_in",
      msg_id: frame.msg_id,
      peer: peer.label,
      ok: state === "written",
      state,
      ...(reason !== undefined && { error: reason }),
      ...this.#text(frame),
    });
  }

  #text(frame: Frame): Record<string, string> {
    const characters = this.#previewCharacters();
    if (!isUserFrame(frame)) return {};
    const envelope = parseEnvelope(frame.message.content);
    const sender = envelope?.fromName === undefined ? {} : { sender: plainLine(envelope.fromName, 80) };
    if (characters === 0) return sender;
    return { ...sender, preview: plainLine(envelope?.body ?? frame.message.content, characters) };
  }
}
