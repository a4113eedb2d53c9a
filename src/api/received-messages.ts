import { CcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import { randomUuid } from "../core/random.ts";
import type { EventOf } from "../peer/schema/output.ts";
import { BoundedLog } from "./bounded-log.ts";
import type { ReceivedMessage } from "./schema.ts";

interface Kept {
  readonly message: ReceivedMessage;
  /** The sender's own. */
  readonly originalId: string;
}

const LIMITS = { maxEntries: 1_000, maxCharacters: 16 * 1024 * 1024 };
const MAX_NAME = 80;
const MAX_ADDRESS = 300;
const USABLE_ID = /^[A-Za-z0-9-]{8,64}$/;

/** What sessions wrote to this API. */
export class ReceivedMessages {
  readonly #isTaken: (id: string) => boolean;
  readonly #log = new BoundedLog<Kept>(LIMITS);

  /** `isTaken`: whether something else has that id. */
  constructor(isTaken: (id: string) => boolean) {
    this.#isTaken = isTaken;
  }

  take(event: EventOf<"message">): ReceivedMessage {
    const { id, name, address, machine, mode, hops, text, at, attachments, notes } = event;
    const message: ReceivedMessage = {
      direction: "in",
      msg_id: this.#freeId(id),
      from: {
        name: plainLine(name, MAX_NAME),
        address: plainLine(address, MAX_ADDRESS),
        ...(machine !== undefined && { machine: plainLine(machine, MAX_NAME) }),
        ...(mode !== undefined && { mode }),
      },
      text,
      hops,
      received_at: new Date(at).toISOString(),
      ...(attachments !== undefined && { attachments: attachments.map(toAttachment) }),
      ...(notes !== undefined && { notes: notes.map((note) => plainLine(note)) }),
    };
    this.#log.put(message.msg_id, { message, originalId: id }, text.length);
    return message;
  }

  get(id: string): ReceivedMessage | undefined {
    return this.#log.get(id)?.message;
  }

  /** From the oldest to the newest that are kept. */
  list(): ReceivedMessage[] {
    return this.#log.values().map(({ message }) => message);
  }

  /** Where its sender is. Throws `no_such_message`. */
  senderOf(id: string): string {
    return this.#require(id).message.from.address;
  }

  /** Throws `no_such_message`. */
  originalId(id: string): string {
    return this.#require(id).originalId;
  }

  #require(id: string): Kept {
    const kept = this.#log.get(id);
    if (kept) return kept;
    throw new CcmError("no_such_message", `no message ${plainLine(id, MAX_NAME)} has come in, or it is no longer kept`);
  }

  /** The sender chose its id, and may have chosen one that is in use. */
  #freeId(id: string): string {
    return USABLE_ID.test(id) && !this.#log.has(id) && !this.#isTaken(id) ? id : randomUuid();
  }
}

function toAttachment({ path, name, bytes, sha256, mediaType }: NonNullable<EventOf<"message">["attachments"]>[number]) {
  return { path, name: plainLine(name), bytes, sha256, ...(mediaType !== undefined && { media_type: plainLine(mediaType, MAX_NAME) }) };
}
