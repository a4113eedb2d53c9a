import { messagePreview } from "../audit/message-preview.ts";
import { noteEvent } from "../audit/note-event.ts";
import { frameLine } from "../claude/deliver.ts";
import { buildEnvelope, sanitizeFromName } from "../claude/envelope.ts";
import { type ReceiptFrame, userFrame } from "../claude/frames.ts";
import type { Clock } from "../core/clock.ts";
import { type ErrorCode, toCcmError } from "../core/errors.ts";
import { readLightConfig } from "../core/light-config.ts";
import type { Paths } from "../core/paths.ts";
import { plainLine } from "../core/plain-text.ts";
import { randomUuid } from "../core/random.ts";
import { isFinal, isFurther, isMessageState, type MessageState, stateChange } from "../link/message-state.ts";
import { MessageStates } from "../link/message-states.ts";
import type { ApiPeer } from "./api-peer.ts";
import { BoundedLog } from "./bounded-log.ts";
import { followRemote } from "./follow-remote.ts";
import { Problem } from "./problem.ts";
import type { MessageStateEvent, NewMessage, SentMessage } from "./schema.ts";
import type { FoundTarget, Sessions } from "./sessions.ts";

export interface SentMessagesOptions {
  readonly paths: Paths;
  readonly clock: Clock;
  readonly peer: ApiPeer;
  readonly sessions: Sessions;
  readonly onState: (event: MessageStateEvent) => void;
}

interface Sent {
  readonly about: Omit<SentMessage, "state" | "states">;
  readonly states: MessageStates;
  /** Aborts when it is written, or will never be. */
  readonly settled: AbortController;
}

const LIMITS = { maxEntries: 1_000, maxCharacters: 16 * 1024 * 1024 };
/** Accepted, and neither written nor failed. */
const MAX_ON_THEIR_WAY = 200;
/** The auth line that goes before the frame, with the longest token in use. */
const AUTH_CHARACTERS = 80;

/** What programs send by this API, and what becomes of it. */
export class SentMessages {
  readonly #options: SentMessagesOptions;
  readonly #log = new BoundedLog<Sent>(LIMITS);
  #onTheirWay = 0;

  constructor(options: SentMessagesOptions) {
    this.#options = options;
  }

  /**
   * Accepts a message; `onState` is told what becomes of it. Rejects where it is known at once that nothing will: with what
   * `Sessions.target` throws, `too_large`, `daemon_unavailable`, and a {@link Problem} where too many are on their way.
   */
  async send({ to, body, from_name: fromName }: NewMessage): Promise<SentMessage> {
    const { peer, sessions, clock } = this.#options;
    if (this.#onTheirWay >= MAX_ON_THEIR_WAY) throw tooManyOnTheirWay();
    const target = sessions.target(to);
    const name = sanitizeFromName(fromName ?? "") || peer.name;
    const messageId = randomUuid();
    const content = buildEnvelope({ from: peer.address, fromName: name }, body);
    const frame = userFrame({ from: peer.address, messageId, content });
    frameLine(frame, AUTH_CHARACTERS);
    const created = { msg_id: messageId, created_at: new Date(clock.now()).toISOString() };
    const about = { direction: "out" as const, ...created, to: { name: target.name, machine: target.machine }, from_name: name, body };
    const sent = this.#newMessage(about);
    await this.#deliver(sent, target, frame);
    return toMessage(sent);
  }

  get(id: string): SentMessage | undefined {
    const sent = this.#log.get(id);
    return sent && toMessage(sent);
  }

  /** From the oldest to the newest that are kept. */
  list(): SentMessage[] {
    return this.#log.values().map(toMessage);
  }

  takeReceipt(frame: ReceiptFrame): void {
    const change = stateChange(frame, "written");
    if (change) this.#log.get(change.messageId)?.states.add(change);
  }

  /** Nobody wants to know any more. */
  close(): void {
    for (const { settled } of this.#log.values()) settled.abort();
  }

  #newMessage(about: Sent["about"]): Sent {
    const { clock, onState } = this.#options;
    const settled = new AbortController();
    const states = new MessageStates({
      clock,
      onState: (state) => {
        if (!isFurther("written", state.state)) settled.abort();
        onState({ msg_id: about.msg_id, to: about.to, ...state });
      },
    });
    return { about, states, settled };
  }

  /** Settles when it is under way; for a message to another machine that is when the daemon tells of it. */
  async #deliver(sent: Sent, target: FoundTarget, frame: ReturnType<typeof userFrame>): Promise<void> {
    const { paths, clock, peer } = this.#options;
    const { about, states, settled } = sent;
    if (target.isRemote) await followRemote({ paths, messageId: about.msg_id, states, signal: settled.signal, clock });
    this.#onTheirWay += 1;
    settled.signal.addEventListener("abort", () => (this.#onTheirWay -= 1), { once: true });
    this.#keep(sent);
    states.add({ state: "queued" });
    this.#note(sent);
    peer.deliver(target.identity, frame).then(
      // A mirror has taken it: the daemon says when it is written there.
      () => target.isRemote || states.add({ state: "written" }),
      (error: unknown) => states.add(failure(error)),
    );
  }

  #keep(sent: Sent): void {
    for (const { settled } of this.#log.put(sent.about.msg_id, sent, sent.about.body.length)) settled.abort();
  }

  #note({ about }: Sent): void {
    const { paths } = this.#options;
    const preview = messagePreview(about.body, readLightConfig(paths).auditPreviewCharacters);
    noteEvent(paths, { ev: "send", msg_id: about.msg_id, sender: about.from_name, to: about.to.name, state: "queued", ...preview });
  }
}

function toMessage({ about, states }: Sent): SentMessage {
  return { ...about, state: states.current?.state ?? "queued", states: [...states.list] };
}

function failure(error: unknown): { state: MessageState; reason: string } {
  const { code, message } = toCcmError(error);
  return { state: isFailedState(code) ? code : "undeliverable", reason: plainLine(message) };
}

function isFailedState(code: ErrorCode): code is ErrorCode & MessageState {
  return isMessageState(code) && isFinal(code);
}

function tooManyOnTheirWay(): Problem {
  const detail = `${MAX_ON_THEIR_WAY} messages are on their way and none has got there yet`;
  return new Problem(503, { code: "busy", detail, headers: { "Retry-After": "5" } });
}
