import { type Frame, isUserFrame, socketPathOf, statusReceipt } from "../claude/frames.ts";
import type { Peer } from "../claude/peer.ts";
import { readRegistry } from "../claude/registry.ts";
import { quotationOf, unconfirmedNotice } from "./notices.ts";

/** As much of a message as is needed to tell its sender about it: the whole may be a megabyte, and the daemon holds that. */
interface Unsettled {
  readonly from: string;
  readonly messageId: string;
  readonly quotation: string;
}

/** Messages that were handed to the daemon and of which it has not said that they are settled. */
export class UnsettledMessages {
  readonly #messages = new Map<number, Unsettled>();
  #lastId = 0;

  /** The id under which the daemon will settle it. Only a message's sender waits for anything; other frames are counted and not kept. */
  add(frame: Frame): number {
    this.#lastId += 1;
    const { from, msg_id: messageId } = frame;
    if (isUserFrame(frame) && from !== undefined && messageId !== undefined) {
      this.#messages.set(this.#lastId, { from, messageId, quotation: quotationOf(frame) });
    }
    return this.#lastId;
  }

  settle(id: number): void {
    this.#messages.delete(id);
  }

  get isEmpty(): boolean {
    return this.#messages.size === 0;
  }

  /**
   * Nobody else will tell their senders: `orderly` after the daemon's last word, when they are certainly not relayed; else it has died,
   * as `orphaned` says, and perhaps it had sent them on. Settles when they are told, as far as they can be.
   */
  async tell(peer: Peer, claudeConfig: string, name: string, ending: "orderly" | { readonly orphaned: string }): Promise<void> {
    const messages = [...this.#messages.values()];
    this.#messages.clear();
    const sender = { address: peer.address, name };
    const sessions = new Map(
      readRegistry(claudeConfig).flatMap(({ record, unreachable }) =>
        record && !unreachable ? [[record.messagingSocketPath, record]] : [],
      ),
    );
    const telling = messages.map(async ({ from, messageId, quotation }) => {
      const target = sessions.get(socketPathOf(from));
      if (target?.procStart === undefined || target.messagingSocketPath === undefined) return;
      const notice =
        ending === "orderly"
          ? statusReceipt({ from: peer.address, status: "dropped", messageId, reason: "that session is no longer there" })
          : unconfirmedNotice(sender, quotation, ending.orphaned);
      await peer.deliver({ pid: target.pid, procStart: target.procStart, socketPath: target.messagingSocketPath }, notice);
    });
    await Promise.allSettled(telling);
  }
}
