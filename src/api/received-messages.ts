import { messageText, parseEnvelope } from "../claude/envelope.ts";
import type { UserFrame } from "../claude/frames.ts";
import type { Clock } from "../core/clock.ts";
import { plainLine } from "../core/plain-text.ts";
import { randomUuid } from "../core/random.ts";
import { BoundedLog } from "./bounded-log.ts";
import type { ReceivedMessage } from "./schema.ts";

const LIMITS = { maxEntries: 1_000, maxCharacters: 16 * 1024 * 1024 };
const MAX_NAME = 80;
const MAX_ADDRESS = 300;
const MAX_ATTACHMENTS = 16;
const USABLE_ID = /^[A-Za-z0-9-]{8,64}$/;

/** What sessions wrote to this API. */
export class ReceivedMessages {
  readonly #clock: Clock;
  readonly #isTaken: (id: string) => boolean;
  readonly #log = new BoundedLog<ReceivedMessage>(LIMITS);

  /** `isTaken`: whether something else has that id. */
  constructor(clock: Clock, isTaken: (id: string) => boolean) {
    this.#clock = clock;
    this.#isTaken = isTaken;
  }

  take(frame: UserFrame): ReceivedMessage {
    const { content } = frame.message;
    const { from = frame.from, fromName, fromMode } = parseEnvelope(content) ?? {};
    const attachments = Array.isArray(frame.file_attachments) ? frame.file_attachments.slice(0, MAX_ATTACHMENTS) : undefined;
    const message: ReceivedMessage = {
      direction: "in",
      msg_id: this.#freeId(frame.msg_id),
      from: {
        ...(fromName !== undefined && { name: plainLine(fromName, MAX_NAME) }),
        ...(typeof from === "string" && { address: plainLine(from, MAX_ADDRESS) }),
        ...(fromMode !== undefined && { mode: fromMode }),
      },
      body: messageText(content),
      received_at: new Date(this.#clock.now()).toISOString(),
      ...(attachments !== undefined && { file_attachments: attachments.filter(isObject) }),
    };
    this.#log.put(message.msg_id, message, JSON.stringify(frame).length);
    return message;
  }

  get(id: string): ReceivedMessage | undefined {
    return this.#log.get(id);
  }

  /** From the oldest to the newest that are kept. */
  list(): ReceivedMessage[] {
    return this.#log.values();
  }

  /** The sender chose its id, and may have chosen one that is in use. */
  #freeId(id: unknown): string {
    const isFree = typeof id === "string" && USABLE_ID.test(id) && !this.#log.has(id) && !this.#isTaken(id);
    return isFree ? id : randomUuid();
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
