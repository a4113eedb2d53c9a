import fs from "node:fs/promises";
import type { AttachmentDescriptor } from "../claude/attachments/descriptor.ts";
import { attachmentFaults, notDeliveredNote } from "../claude/attachments/notes.ts";
import { replaceAttachments } from "../claude/attachments/replace-attachments.ts";
import { cleanSpool, MAX_FILE_BYTES } from "../claude/attachments/spool.ts";
import { takenAttachments } from "../claude/attachments/taken-attachments.ts";
import type { Frame } from "../claude/frames.ts";
import type { Clock } from "../core/clock.ts";
import type { LinkConnection } from "./connection.ts";
import { FileArrival } from "./file-arrival.ts";
import type { FileEvent } from "./file-event.ts";
import { FILE_STALLED_MS } from "./file-sending.ts";
import type { FileOp, LinkOp, OutcomeState, PieceOp } from "./protocol.ts";

/** A machine sends one file at a time, and the message soon after its last. */
export const fileLimits = { maxArriving: 2, maxUnclaimed: 64 };

const SHA256 = /^[0-9a-f]{64}$/;
const CLEAN_EVERY_MS = 10 * 60 * 1000;
/** Then the target may have it, or take it yet. */
const MAY_BE_TAKEN = new Set<OutcomeState>(["written", "unconfirmed"]);

interface Arriving {
  readonly arrival: FileArrival;
  cancelStalled: () => void;
}

export interface ClaimedFrame {
  /** As the target gets it: its files are in the spool of this machine. */
  readonly frame: Frame;
  /** To be called with what became of it: files that nobody will take are removed. */
  readonly settled: (state: OutcomeState) => void;
}

export interface FilesInOptions {
  readonly claudeConfig: string;
  readonly clock: Clock;
  readonly onFile: (event: FileEvent) => void;
}

/** Files of the other machine that come in, and those that came and wait for their message. */
export class FilesIn {
  readonly #options: FilesInOptions;
  readonly #arriving = new Map<string, Arriving>();
  readonly #unclaimed = new Map<string, { readonly path: string; readonly sha256: string }>();
  readonly #dropping = new Set<Promise<void>>();
  #connection: LinkConnection | undefined;
  #boot: string | undefined;
  #cleanedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: FilesInOptions) {
    this.#options = options;
  }

  /** Another `boot` is another daemon: it will send no message that names files of the one before. */
  open(connection: LinkConnection, boot: string): void {
    this.suspend();
    if (boot !== this.#boot) void this.#removeUnclaimed();
    this.#boot = boot;
    this.#connection = connection;
  }

  /** The connection is gone: what is half there begins again over the next. */
  suspend(): void {
    this.#connection = undefined;
    for (const id of this.#arriving.keys()) this.#drop(id, "the connection ended");
  }

  /** Settles when nothing is left of what is half there or was never asked for. */
  async close(): Promise<void> {
    this.suspend();
    await Promise.all(this.#dropping);
    await this.#removeUnclaimed();
  }

  receive(op: Extract<LinkOp, { op: "file" | "piece" | "unstored" }>): void {
    if (op.op === "file") return this.#offered(op);
    if (op.op === "piece") return this.#piece(op);
    this.#drop(op.id, "the other machine gave it up");
    void this.#removeUnclaimed([op.id]);
  }

  /** Puts files that came in the place of the ids by which a frame names them; of others it gets a note. */
  claim(frame: Frame): ClaimedFrame {
    if (frame["file_attachments"] === undefined) return { frame, settled: () => undefined };
    const claimed: AttachmentDescriptor[] = [];
    const { taken, notes } = takenAttachments(frame);
    for (const descriptor of taken) {
      const file = this.#unclaimed.get(descriptor.path);
      this.#unclaimed.delete(descriptor.path);
      const { file_name: name, file_size: bytes } = descriptor;
      const fault = file?.sha256 === descriptor.sha256 ? undefined : attachmentFaults.unreadable;
      this.#options.onFile({ direction: "in", messageId: frame.msg_id, name, bytes, fault });
      if (file && fault === undefined) claimed.push({ ...descriptor, path: file.path });
      else notes.push(notDeliveredNote(name, attachmentFaults.unreadable));
    }
    return {
      frame: replaceAttachments(frame, claimed, notes),
      settled: (state) => {
        if (!MAY_BE_TAKEN.has(state)) void removeAll(claimed);
      },
    };
  }

  #offered(offer: FileOp): void {
    // Its `stored` was lost with a connection.
    if (this.#unclaimed.has(offer.id)) return this.#say({ op: "stored", id: offer.id });
    const reason = this.#refusal(offer);
    if (reason !== undefined) return this.#say({ op: "unstored", id: offer.id, reason });
    this.#cleanNowAndThen();
    const { claudeConfig } = this.#options;
    const onTaken = (bytes: number) => {
      this.#watch(offer.id);
      this.#say({ op: "taken", id: offer.id, bytes });
    };
    const arrival = new FileArrival({ claudeConfig, offer, onTaken });
    this.#arriving.set(offer.id, { arrival, cancelStalled: () => undefined });
    this.#watch(offer.id);
    void this.#await(offer, arrival);
  }

  #refusal({ id, size, sha256 }: FileOp): string | undefined {
    if (size > MAX_FILE_BYTES) return `it exceeds the ${MAX_FILE_BYTES / 1024 / 1024} MiB transfer limit`;
    if (!SHA256.test(sha256)) return attachmentFaults.changed;
    const isTooMuch = this.#arriving.size >= fileLimits.maxArriving || this.#unclaimed.size >= fileLimits.maxUnclaimed;
    return this.#arriving.has(id) || isTooMuch ? "too many files are on their way to the other machine" : undefined;
  }

  async #await({ id, sha256 }: FileOp, arrival: FileArrival): Promise<void> {
    const connection = this.#connection;
    try {
      const path = await arrival.stored;
      // It may have come whole before the one connection ended, and again over the next.
      if (this.#unclaimed.has(id)) await removeAll([{ path }]);
      else this.#unclaimed.set(id, { path, sha256 });
      if (connection === this.#connection) this.#say({ op: "stored", id });
    } catch (error) {
      if (connection === this.#connection) this.#say({ op: "unstored", id, reason: (error as Error).message });
    } finally {
      if (this.#arriving.get(id)?.arrival === arrival) this.#forget(id);
    }
  }

  /** One of a file that was given up is on its way still when that is heard. */
  #piece({ id, data }: PieceOp): void {
    this.#arriving.get(id)?.arrival.add(data);
  }

  #watch(id: string): void {
    const arriving = this.#arriving.get(id);
    if (!arriving) return;
    arriving.cancelStalled();
    arriving.cancelStalled = this.#options.clock.after(FILE_STALLED_MS, () => this.#drop(id, "it did not come in time"));
  }

  #drop(id: string, reason: string): void {
    const arriving = this.#arriving.get(id);
    if (!arriving) return;
    this.#forget(id);
    const dropping = arriving.arrival.drop(reason).finally(() => this.#dropping.delete(dropping));
    this.#dropping.add(dropping);
  }

  async #removeUnclaimed(ids: readonly string[] = [...this.#unclaimed.keys()]): Promise<void> {
    const files = ids.flatMap((id) => this.#unclaimed.get(id) ?? []);
    for (const id of ids) this.#unclaimed.delete(id);
    await removeAll(files);
  }

  #forget(id: string): void {
    this.#arriving.get(id)?.cancelStalled();
    this.#arriving.delete(id);
  }

  #say(op: LinkOp): void {
    this.#connection?.send(op);
  }

  #cleanNowAndThen(): void {
    const { clock, claudeConfig } = this.#options;
    if (clock.monotonicMs() - this.#cleanedAtMs < CLEAN_EVERY_MS) return;
    this.#cleanedAtMs = clock.monotonicMs();
    void cleanSpool(claudeConfig);
  }
}

async function removeAll(files: readonly { readonly path: string }[]): Promise<void> {
  await Promise.all(files.map(({ path }) => fs.rm(path, { force: true }).catch(() => undefined)));
}
