import { messagePreview } from "../audit/message-preview.ts";
import { noteEvent } from "../audit/note-event.ts";
import { frameLine } from "../claude/deliver.ts";
import { buildEnvelope, sanitizeFromName } from "../claude/envelope.ts";
import { userFrame } from "../claude/frames.ts";
import type { Clock } from "../core/clock.ts";
import { CcmError, toCcmError } from "../core/errors.ts";
import { readLightConfig } from "../core/light-config.ts";
import type { Paths } from "../core/paths.ts";
import { plainLine } from "../core/plain-text.ts";
import { randomUuid } from "../core/random.ts";
import { connectDaemon } from "../daemon/control-client.ts";
import { isFinal, isFurther, isMessageState, type StateChange } from "../link/message-state.ts";
import { MessageStates } from "../link/message-states.ts";
import type { Correspondent } from "../peer/directory.ts";
import type { Sent as Written } from "../peer/outgoing.ts";
import type { PeerProgram } from "../peer/peer-program.ts";
import { BoundedLog } from "./bounded-log.ts";
import { Problem } from "./problem.ts";
import type { ReceivedMessages } from "./received-messages.ts";
import type { MessageStateEvent, NewMessage, SentMessage, Target } from "./schema.ts";
import type { Sessions } from "./sessions.ts";

export interface SentMessagesOptions {
  readonly paths: Paths;
  readonly clock: Clock;
  readonly peer: PeerProgram;
  readonly sessions: Sessions;
  readonly received: ReceivedMessages;
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
const MAX_ON_THEIR_WAY = 500;
/** The auth line that goes before the frame, with the longest token in use. */
const AUTH_CHARACTERS = 80;
const MAX_NAME = 80;

/** What programs send by this API, and what becomes of it. */
export class SentMessages {
  readonly #options: SentMessagesOptions;
  readonly #log = new BoundedLog<Sent>(LIMITS);
  #onTheirWay = 0;

  constructor(options: SentMessagesOptions) {
    this.#options = options;
  }

  /**
   * Accepts a message; `onState` is told what becomes of it. Rejects where it is known at once that nothing will: `no_such_member`,
   * `ambiguous_name`, `no_such_message`, `message_to_self`, `undeliverable`, `too_large`, `daemon_unavailable`; a {@link Problem} where too
   * many are on their way.
   */
  async send(message: NewMessage): Promise<SentMessage> {
    const { paths } = this.#options;
    if (this.#onTheirWay >= MAX_ON_THEIR_WAY) throw tooManyOnTheirWay();
    const target = this.#target(message);
    if (target.machine !== undefined) (await connectDaemon(paths)).destroy();
    const sent = this.#accept(message, target);
    this.#write(sent, message, target).then(
      // A mirror has taken it: the daemon says when it is written there.
      ({ state }) => state === "written" && sent.states.add({ state }),
      (error: unknown) => sent.states.add(failure(error)),
    );
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

  takeChange(change: StateChange): void {
    this.#log.get(change.messageId)?.states.add(change);
  }

  /** Aborts when it is known that the message is written, or never will be. */
  settledSignal(id: string): AbortSignal {
    return this.#log.get(id)?.settled.signal ?? AbortSignal.abort();
  }

  #target({ to, in_reply_to: answered }: NewMessage): Correspondent {
    const { peer, received, sessions } = this.#options;
    const target = peer.directory.resolve(sessions.addressOf((answered === undefined ? to : received.senderOf(answered)) ?? ""));
    if (target.address !== peer.place(undefined).own.address?.address) return target;
    throw new CcmError("message_to_self", `${plainLine(target.name, MAX_NAME)} is this API itself`);
  }

  #accept({ text, from_name: fromName, in_reply_to: answered, attach = [] }: NewMessage, target: Correspondent): Sent {
    const { clock, peer, paths } = this.#options;
    const { own } = peer.place(undefined);
    const from_name = sanitizeFromName(fromName ?? "") || sanitizeFromName(own.name);
    const from = own.address?.address ?? "";
    const frame = userFrame({ from, messageId: randomUuid(), content: buildEnvelope({ from, fromName: from_name }, text) });
    frameLine(frame, AUTH_CHARACTERS);
    const sent = this.#newSent({
      direction: "out",
      msg_id: frame.msg_id ?? "",
      ...(answered !== undefined && { in_reply_to: answered }),
      to: targetOf(target, readLightConfig(paths).label),
      from_name,
      text,
      attach,
      created_at: new Date(clock.now()).toISOString(),
    });
    this.#keep(sent);
    sent.states.add({ state: "queued" });
    this.#note(sent);
    return sent;
  }

  #newSent(about: Sent["about"]): Sent {
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

  #keep(sent: Sent): void {
    this.#onTheirWay += 1;
    sent.settled.signal.addEventListener("abort", () => (this.#onTheirWay -= 1), { once: true });
    for (const { settled } of this.#log.put(sent.about.msg_id, sent, sent.about.text.length)) settled.abort();
  }

  #write({ about }: Sent, message: NewMessage, target: Correspondent): Promise<Written> {
    const { peer, received } = this.#options;
    const { text, attach } = message;
    const given = { messageId: about.msg_id, fromName: about.from_name };
    if (message.in_reply_to === undefined) return peer.outgoing.send(peer.place(undefined).own, target, text, attach, given);
    return peer.outgoing.reply(peer.message(received.originalId(message.in_reply_to)), text, attach, given);
  }

  #note({ about }: Sent): void {
    const { paths } = this.#options;
    const preview = messagePreview(about.text, readLightConfig(paths).auditPreviewCharacters);
    noteEvent(paths, { ev: "send", msg_id: about.msg_id, sender: about.from_name, to: about.to.name, state: "queued", ...preview });
  }
}

export function targetOf({ name, machine }: Correspondent, ownMachine: string): Target {
  return { name: plainLine(name, MAX_NAME), machine: plainLine(machine ?? ownMachine, MAX_NAME) };
}

function toMessage({ about, states }: Sent): SentMessage {
  return { ...about, state: states.current?.state ?? "queued", states: [...states.list] };
}

function failure(error: unknown): Pick<StateChange, "state" | "reason"> {
  const { code, message } = toCcmError(error);
  return { state: isMessageState(code) && isFinal(code) ? code : "undeliverable", reason: plainLine(message) };
}

function tooManyOnTheirWay(): Problem {
  const detail = `${MAX_ON_THEIR_WAY} messages are on their way and have not got there yet`;
  return new Problem(503, { code: "busy", detail, headers: { "Retry-After": "5" } });
}
