import { buildEnvelope, type EnvelopeFields } from "../claude/envelope.ts";
import { type Frame, isReceipt, type ReceiptFrame, type UserFrame, userFrame } from "../claude/frames.ts";
import type { PeerIdentity } from "../claude/peer-files.ts";
import type { PeerRecordFields } from "../claude/peer-record.ts";
import { type Mirror, type MirrorAddress, openMirror } from "../mirror/mirror.ts";
import type { SelftestHome } from "./selftest-home.ts";
import { until } from "./until.ts";

export type MessageFields = Partial<EnvelopeFields> & { readonly messageId?: string };

/** A peer of ours in a process of its own, with what sessions wrote to it. */
export class OurPeer {
  readonly name: string;
  readonly #mirror: Mirror;
  readonly #signal: AbortSignal;
  readonly #frames: Frame[];
  readonly #at: MirrorAddress;

  private constructor(name: string, mirror: Mirror, at: MirrorAddress, frames: Frame[], signal: AbortSignal) {
    this.name = name;
    this.#mirror = mirror;
    this.#at = at;
    this.#frames = frames;
    this.#signal = signal;
  }

  static async open(home: SelftestHome, name: string, signal: AbortSignal, record: PeerRecordFields = {}): Promise<OurPeer> {
    const frames: Frame[] = [];
    const mirror = openMirror({
      name,
      record,
      env: home.environment,
      claudeConfig: home.claudeConfig,
      onFrame: async (frame) => void frames.push(frame),
      onProblem: () => {},
      onExit: () => {},
    });
    return new OurPeer(name, mirror, await mirror.ready, frames, signal);
  }

  get address(): string {
    return this.#at.address;
  }

  get socketPath(): string {
    return this.#at.socketPath;
  }

  /** What sessions wrote to it, oldest first. */
  get frames(): readonly Frame[] {
    return this.#frames;
  }

  /** A message of this peer as SendMessage would write it; without a `fromMode` it does not say whether it bypasses. */
  message(body: string, { messageId, ...fields }: MessageFields = {}): UserFrame {
    const content = buildEnvelope({ from: this.address, fromName: this.name, ...fields }, body);
    return userFrame({ from: this.address, content, ...(messageId !== undefined && { messageId }) });
  }

  /** Writes a frame to a session, from the process that owns the address; settles when it is written. */
  async deliver(target: PeerIdentity, frame: Frame): Promise<void> {
    await this.#mirror.deliver(target, frame);
  }

  /** Sends a message and returns its id. */
  async send(target: PeerIdentity, body: string, fields: MessageFields = {}): Promise<string> {
    const frame = this.message(body, fields);
    await this.deliver(target, frame);
    return frame.msg_id ?? "";
  }

  waitFrame<Wanted extends Frame>(what: string, isIt: (frame: Frame) => frame is Wanted, deadlineMs?: number): Promise<Wanted>;
  waitFrame(what: string, isIt: (frame: Frame) => boolean, deadlineMs?: number): Promise<Frame>;
  waitFrame(what: string, isIt: (frame: Frame) => boolean, deadlineMs?: number): Promise<Frame> {
    return until(() => this.#frames.find(isIt), { what, signal: this.#signal, ...(deadlineMs !== undefined && { deadlineMs }) });
  }

  /** The receipts for a message, oldest first. */
  receipts(messageId: string): ReceiptFrame[] {
    return this.#frames
      .filter(isReceipt)
      .filter(({ orig_msg_id, dropped_msg_ids }) => orig_msg_id === messageId || dropped_msg_ids?.includes(messageId) === true);
  }

  /** The receipt of that status for a message. */
  waitReceipt(messageId: string, status: string): Promise<ReceiptFrame> {
    const look = () => this.receipts(messageId).find((receipt) => receipt.status === status);
    return until(look, { what: `the receipt "${status}"`, signal: this.#signal });
  }

  close(): Promise<void> {
    return this.#mirror.close();
  }
}
