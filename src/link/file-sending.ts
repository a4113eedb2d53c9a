import type { FileHandle } from "node:fs/promises";
import type { AttachmentDescriptor } from "../claude/attachments/descriptor.ts";
import { attachmentFaults } from "../claude/attachments/notes.ts";
import type { Clock } from "../core/clock.ts";
import { plainLine } from "../core/plain-text.ts";
import type { LinkConnection } from "./connection.ts";
import { FilePace } from "./file-pace.ts";
import { type LinkOp, MAX_PIECE_BYTES } from "./protocol.ts";

/** Without a sign that the other side takes what it is sent. */
export const FILE_STALLED_MS = 60_000;
const MAX_REASON_CHARACTERS = 200;

export type SendingResult =
  | { readonly kind: "stored" }
  | { readonly kind: "failed"; readonly reason: string }
  /** The connection ended before it was known: it may be sent again over another. */
  | { readonly kind: "interrupted" };

export interface FileSendingOptions {
  readonly connection: LinkConnection;
  readonly clock: Clock;
  readonly id: string;
  readonly descriptor: AttachmentDescriptor;
  /** Stays open until {@link FileSending.run} has settled; closed by its owner. */
  readonly source: FileHandle;
}

interface UnderWay {
  readonly end: number;
  readonly sentAtMs: number;
  /** How much had been taken when it was sent. */
  readonly takenBefore: number;
}

/** One file on its way over one connection, a piece at a time: never more of it is in memory than may be under way. */
export class FileSending {
  readonly #options: FileSendingOptions;
  readonly #result = Promise.withResolvers<SendingResult>();
  readonly #pace = new FilePace();
  /** Where pieces end that were not taken yet, and when they were sent. */
  readonly #underWay: UnderWay[] = [];
  #sentBytes = 0;
  #takenBytes = 0;
  #isSettled = false;
  #wake: () => void = () => undefined;
  #cancelStalled: () => void = () => undefined;

  constructor(options: FileSendingOptions) {
    this.#options = options;
  }

  /** Settles on every ending, never rejects; nothing is read any more then. */
  async run(): Promise<SendingResult> {
    const { connection, id, descriptor } = this.#options;
    const { file_name: name, file_size: size, sha256 } = descriptor;
    this.#watch();
    connection.send({ op: "file", id, name: name.slice(0, 1_000), size, sha256 });
    await this.#sendPieces().catch(() => this.#giveUp(attachmentFaults.unreadable));
    const result = await this.#result.promise;
    this.#cancelStalled();
    return result;
  }

  interrupt(): void {
    this.#settle({ kind: "interrupted" });
  }

  receive(op: Extract<LinkOp, { op: "taken" | "stored" | "unstored" }>): void {
    if (op.op === "stored") return this.#settle({ kind: "stored" });
    if (op.op === "unstored") return this.#settle({ kind: "failed", reason: wordsOf(op.reason) });
    this.#watch();
    while (this.#underWay[0] && this.#underWay[0].end <= op.bytes) this.#taken(this.#underWay.shift());
    this.#wake();
  }

  async #sendPieces(): Promise<void> {
    const { connection, id, descriptor, source } = this.#options;
    const piece = Buffer.allocUnsafe(MAX_PIECE_BYTES);
    while (this.#sentBytes < descriptor.file_size) {
      await this.#room();
      const wanted = Math.min(this.#pace.pieceBytes, descriptor.file_size - this.#sentBytes);
      const { bytesRead } = this.#isSettled ? { bytesRead: 0 } : await source.read(piece, 0, wanted, this.#sentBytes);
      if (this.#isSettled) return;
      if (bytesRead === 0) return this.#giveUp(attachmentFaults.changed);
      this.#sentBytes += bytesRead;
      this.#underWay.push({ end: this.#sentBytes, sentAtMs: this.#options.clock.monotonicMs(), takenBefore: this.#takenBytes });
      connection.send({ op: "piece", id, data: piece.toString("base64", 0, bytesRead) });
    }
  }

  /** Settles when another piece may go, or nothing more will. */
  async #room(): Promise<void> {
    while (!this.#isSettled && this.#sentBytes - this.#takenBytes + this.#pace.pieceBytes > this.#pace.windowBytes) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }

  #taken(piece: UnderWay | undefined): void {
    if (!piece) return;
    this.#takenBytes = piece.end;
    const latencyMs = this.#options.clock.monotonicMs() - piece.sentAtMs;
    this.#pace.taken({ latencyMs, takenBytes: piece.end - piece.takenBefore });
  }

  #giveUp(reason: string): void {
    if (this.#isSettled) return;
    this.#options.connection.send({ op: "unstored", id: this.#options.id, reason });
    this.#settle({ kind: "failed", reason });
  }

  #watch(): void {
    this.#cancelStalled();
    if (this.#isSettled) return;
    this.#cancelStalled = this.#options.clock.after(FILE_STALLED_MS, () => this.#giveUp("the other machine did not take it in time"));
  }

  #settle(result: SendingResult): void {
    this.#isSettled = true;
    this.#result.resolve(result);
    this.#wake();
  }
}

/** As it may stand in a note in a message: what could end either is taken out. */
function wordsOf(reason: string): string {
  return plainLine(reason.replace(/[<>[\]"]/g, " "), MAX_REASON_CHARACTERS);
}
