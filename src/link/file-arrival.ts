import { createHash } from "node:crypto";
import fs, { type FileHandle } from "node:fs/promises";
import path from "node:path";
import { AttachmentFault, attachmentFaults } from "../claude/attachments/notes.ts";
import { ensureSpool, halfWrittenName, storedName } from "../claude/attachments/spool.ts";
import { systemErrorCode } from "../core/errors.ts";
import type { FileOp } from "./protocol.ts";

/** A sender that heeds what it is told has far less under way. */
const MAX_UNWRITTEN_BYTES = 4 * 1024 * 1024;
const CREATE_FLAGS = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | fs.constants.O_NOFOLLOW;

export interface FileArrivalOptions {
  readonly claudeConfig: string;
  readonly offer: FileOp;
  /** So much of it is on disk. */
  readonly onTaken: (bytes: number) => void;
}

/** One file that comes in. Under its name it is in the spool when the whole of it is there and its hash is right, and not before. */
export class FileArrival {
  /** Where it is; rejects with {@link AttachmentFault}, and then nothing of it is left. */
  readonly stored: Promise<string>;
  readonly #options: FileArrivalOptions;
  readonly #stored = Promise.withResolvers<string>();
  readonly #hash = createHash("sha256");
  #temporary: string | undefined;
  #handle: FileHandle | undefined;
  #comeBytes = 0;
  #writtenBytes = 0;
  #isOver = false;
  /** Everything is done in the order in which it came. */
  #work: Promise<void>;

  constructor(options: FileArrivalOptions) {
    this.#options = options;
    this.stored = this.#stored.promise;
    this.stored.catch(() => undefined);
    this.#work = this.#step(() => this.#create());
    if (options.offer.size === 0) this.#then(() => this.#finish());
  }

  add(data: string): void {
    const piece = Buffer.from(data, "base64");
    this.#comeBytes += piece.length;
    if (this.#comeBytes > this.#options.offer.size) return void this.drop(attachmentFaults.changed);
    if (this.#comeBytes - this.#writtenBytes > MAX_UNWRITTEN_BYTES) return void this.drop("it was sent faster than it could be taken");
    this.#then(() => this.#write(piece));
    if (this.#comeBytes === this.#options.offer.size) this.#then(() => this.#finish());
  }

  /** Ends it, if it has not ended; settles when nothing half-written is left. Never rejects. */
  async drop(reason: string): Promise<void> {
    this.#then(() => Promise.reject(new AttachmentFault(reason)));
    await this.#work;
  }

  #then(work: () => Promise<void>): void {
    this.#work = this.#work.then(() => this.#step(work));
  }

  async #step(work: () => Promise<void>): Promise<void> {
    if (this.#isOver) return;
    try {
      await work();
    } catch (error) {
      this.#isOver = true;
      await this.#handle?.close().catch(() => undefined);
      if (this.#temporary !== undefined) await fs.rm(this.#temporary, { force: true }).catch(() => undefined);
      this.#stored.reject(error instanceof AttachmentFault ? error : new AttachmentFault(notWritten(error), { cause: error }));
    }
  }

  async #create(): Promise<void> {
    const temporary = path.join(ensureSpool(this.#options.claudeConfig), halfWrittenName());
    this.#handle = await fs.open(temporary, CREATE_FLAGS, 0o600);
    this.#temporary = temporary;
  }

  async #write(piece: Buffer): Promise<void> {
    this.#hash.update(piece);
    await this.#handle?.writeFile(piece);
    this.#writtenBytes += piece.length;
    this.#options.onTaken(this.#writtenBytes);
  }

  async #finish(): Promise<void> {
    const { claudeConfig, offer } = this.#options;
    if (this.#hash.digest("hex") !== offer.sha256) throw new AttachmentFault(attachmentFaults.changed);
    await this.#handle?.close();
    const file = path.join(ensureSpool(claudeConfig), storedName(offer.sha256, offer.name));
    await fs.rename(this.#temporary ?? "", file);
    this.#isOver = true;
    this.#stored.resolve(file);
  }
}

function notWritten(error: unknown): string {
  const code = systemErrorCode(error);
  if (code === "ENOSPC" || code === "EDQUOT") return "there is no space left on the other machine";
  return "it could not be written on the other machine";
}
