import fs from "node:fs/promises";
import type { AttachmentDescriptor } from "../claude/attachments/descriptor.ts";
import { AttachmentFault, attachmentFaults, notDeliveredNote } from "../claude/attachments/notes.ts";
import { replaceAttachments } from "../claude/attachments/replace-attachments.ts";
import { openStagedFile } from "../claude/attachments/staged-file.ts";
import { takenAttachments } from "../claude/attachments/taken-attachments.ts";
import type { Frame } from "../claude/frames.ts";
import type { Clock } from "../core/clock.ts";
import { randomHex } from "../core/random.ts";
import type { LinkConnection } from "./connection.ts";
import type { FileEvent } from "./file-event.ts";
import { FileSending, type SendingResult } from "./file-sending.ts";
import type { Outcome } from "./outbox.ts";
import type { LinkOp } from "./protocol.ts";
import { Turns } from "./turns.ts";

export interface CarriedFrame {
  /** As it goes over the link: its files are named by the ids under which the other daemon has them. */
  readonly frame: Frame;
  /** To be called with what became of it. The staged copies of what was written are removed, as a receiver here would. */
  readonly settled: (outcome: Outcome) => void;
}

interface OpenLink {
  readonly connection: LinkConnection;
  readonly takesFiles: boolean;
}

export interface FilesOutOptions {
  readonly claudeConfig: string;
  readonly clock: Clock;
  readonly onFile: (event: FileEvent) => void;
}

/** For a frame without files, and nothing to do about it. */
export function carryPlain(frame: Frame): CarriedFrame {
  return { frame, settled: () => undefined };
}

/**
 * Files on their way to the other machine, one message and one file at a time, whoever sent them. One that a broken connection interrupts begins again over
 * the next.
 */
export class FilesOut {
  readonly #options: FilesOutOptions;
  readonly #turns = new Turns(1);
  #link: OpenLink | "abandoned" | undefined;
  #sending: { readonly id: string; readonly file: FileSending } | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(options: FilesOutOptions) {
    this.#options = options;
  }

  open(connection: LinkConnection, takesFiles: boolean): void {
    this.suspend();
    this.#link = { connection, takesFiles };
    this.#wakeAll();
  }

  /** The connection is gone; what is not over there waits for the next. */
  suspend(): void {
    if (this.#link !== "abandoned") this.#link = undefined;
    this.#sending?.file.interrupt();
  }

  /** There will be no other connection: nobody waits any longer. */
  abandon(): void {
    this.#link = "abandoned";
    this.#sending?.file.interrupt();
    this.#wakeAll();
  }

  /** What the other side says of the file that is under way; of another one it is late, and changes nothing. */
  receive(op: Extract<LinkOp, { op: "taken" | "stored" | "unstored" }>): void {
    if (this.#sending?.id === op.id) this.#sending.file.receive(op);
  }

  /** Brings the files of a frame to the other machine. Never rejects: what does not get there is a note in the message. */
  async carry(frame: Frame): Promise<CarriedFrame> {
    const { promise, resolve, reject } = Promise.withResolvers<CarriedFrame>();
    // Message by message, so that few files wait over there for one.
    this.#turns.take(() => this.#carry(frame).then(resolve, reject));
    return promise;
  }

  async #carry(frame: Frame): Promise<CarriedFrame> {
    const { taken, notes } = takenAttachments(frame);
    const carried: AttachmentDescriptor[] = [];
    const staged: string[] = [];
    for (const descriptor of taken) {
      const id = randomHex(16);
      const startedMs = this.#options.clock.monotonicMs();
      const fault = await this.#send(descriptor, id);
      this.#report(frame, descriptor, startedMs, fault);
      if (fault !== undefined) notes.push(notDeliveredNote(descriptor.file_name, fault));
      else {
        carried.push({ ...descriptor, path: id });
        staged.push(descriptor.path);
      }
    }
    return {
      frame: replaceAttachments(frame, carried, notes),
      settled: ({ state }) => {
        if (state === "written") for (const file of staged) void fs.unlink(file).catch(() => undefined);
        else for (const { path: id } of carried) this.#giveUp(id);
      },
    };
  }

  #report(
    { msg_id: messageId }: Frame,
    { file_name: name, file_size: bytes }: AttachmentDescriptor,
    startedMs: number,
    fault?: string,
  ): void {
    const { clock, onFile } = this.#options;
    onFile({ direction: "out", messageId, name, bytes, tookMs: Math.round(clock.monotonicMs() - startedMs), fault });
  }

  /** Where its message did not come to claim it, it is not kept there. */
  #giveUp(id: string): void {
    if (this.#link && this.#link !== "abandoned")
      this.#link.connection.send({ op: "unstored", id, reason: "its message was not delivered" });
  }

  /** Why it is not over there; undefined if it is. */
  async #send(descriptor: AttachmentDescriptor, id: string): Promise<string | undefined> {
    for (;;) {
      const link = await this.#openLink();
      if (link === "abandoned") return "the link to the other machine ended";
      if (!link.takesFiles) return "ccm on the other machine is too old to take files";
      const result = await this.#sendOver(link, descriptor, id);
      if (result.kind !== "interrupted") return result.kind === "stored" ? undefined : result.reason;
    }
  }

  async #openLink(): Promise<OpenLink | "abandoned"> {
    while (!this.#link) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      await promise;
    }
    return this.#link;
  }

  async #sendOver(link: OpenLink, descriptor: AttachmentDescriptor, id: string): Promise<SendingResult> {
    const { claudeConfig, clock } = this.#options;
    try {
      await using source = await openStagedFile(descriptor, claudeConfig);
      if (this.#link !== link) return { kind: "interrupted" };
      const file = new FileSending({ connection: link.connection, clock, id, descriptor, source });
      this.#sending = { id, file };
      return await file.run();
    } catch (error) {
      return { kind: "failed", reason: error instanceof AttachmentFault ? error.message : attachmentFaults.unreadable };
    } finally {
      this.#sending = undefined;
    }
  }

  #wakeAll(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
