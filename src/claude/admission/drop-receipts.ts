import { type Clock, systemClock } from "../../core/clock.ts";
import { type DropReason, type ReceiptFrame, statusReceipt } from "../frames.ts";
import { receiptReasons } from "./receipts.ts";

/** After a first receipt, further ones of the same kind to the same sender are gathered for so long. */
export const GATHER_MS = 5_000;
/** One receipt names no more than this many messages. */
const MAX_NAMED = 1_000;

export interface DropReceiptsOptions {
  /** Writes a receipt to the sender of what was dropped. */
  readonly write: (sender: string, receipt: ReceiptFrame) => void;
  readonly clock?: Clock;
}

interface Gathering {
  readonly sender: string;
  readonly reason: DropReason;
  readonly messageIds: string[];
  readonly cancel: () => void;
}

/**
 * Tells senders of messages that were dropped, as Claude Code does: of the first at once, of those that follow it together, so that a flood is
 * not answered by a flood.
 */
export class DropReceipts {
  readonly #options: DropReceiptsOptions;
  readonly #gathering = new Map<string, Gathering>();

  constructor(options: DropReceiptsOptions) {
    this.#options = options;
  }

  /** `from`: the address that it was dropped at. */
  add(from: string, sender: string, reason: DropReason, messageId: string): void {
    const key = `${reason} ${sender}`;
    const gathering = this.#gathering.get(key);
    if (gathering) {
      gathering.messageIds.push(messageId);
      if (gathering.messageIds.length >= MAX_NAMED) this.#finish(key, from);
      return;
    }
    const { clock = systemClock, write } = this.#options;
    const cancel = clock.after(GATHER_MS, () => this.#finish(key, from));
    this.#gathering.set(key, { sender, reason, messageIds: [], cancel });
    write(sender, receipt(from, reason, [messageId], []));
  }

  /** What was gathered is told now. */
  close(from: string): void {
    for (const key of [...this.#gathering.keys()]) this.#finish(key, from);
  }

  #finish(key: string, from: string): void {
    const gathering = this.#gathering.get(key);
    gathering?.cancel();
    this.#gathering.delete(key);
    if (!gathering || gathering.messageIds.length === 0) return;
    const { sender, reason, messageIds } = gathering;
    this.#options.write(sender, receipt(from, reason, messageIds, messageIds));
  }
}

function receipt(from: string, dropReason: DropReason, [messageId = ""]: readonly string[], droppedIds: readonly string[]): ReceiptFrame {
  return statusReceipt({ from, messageId, status: "dropped", dropReason, droppedIds, reason: receiptReasons.dropped });
}
