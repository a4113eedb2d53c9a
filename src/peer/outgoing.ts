import type { ModeClass } from "../claude/admission/consent.ts";
import { extendHopChain, type HopTokens } from "../claude/admission/hop-chain.ts";
import type { AttachmentDescriptor } from "../claude/attachments/descriptor.ts";
import { stageAttachments, unstageAttachments } from "../claude/attachments/stage.ts";
import { frameLine } from "../claude/deliver.ts";
import { buildEnvelope, parseEnvelope, sanitizeFromName } from "../claude/envelope.ts";
import { type IdleNoticeFrame, type ReceiptFrame, type UserFrame, userFrame } from "../claude/frames.ts";
import { idleSubscription } from "../claude/idle-subscriptions.ts";
import type { Clock } from "../core/clock.ts";
import { CcmError, toCcmError } from "../core/errors.ts";
import { randomUuid } from "../core/random.ts";
import { type StateChange, stateChanges } from "../link/message-state.ts";
import type { Correspondent, Directory } from "./directory.ts";
import type { IncomingMessage } from "./name-inbox.ts";
import type { OwnName } from "./own-name.ts";
import { Pacer } from "./pacer.ts";
import { Recent } from "./recent.ts";

/** Receipts of older messages are no longer recognised. */
const MAX_RECENT = 10_000;

export interface OutgoingOptions {
  readonly directory: Directory;
  readonly mode: ModeClass | undefined;
  readonly tokens: HopTokens;
  readonly clock: Clock;
  readonly claudeConfig: string;
  /** Tells what the daemon learns of a message to another machine; settles when it listens, or cannot. */
  readonly follow: (messageId: string, onChange: (change: StateChange) => void) => Promise<void>;
  readonly onState: (as: string, change: StateChange) => void;
}

/** What a program is told at once of a message. */
export interface Sent {
  readonly messageId: string;
  /** `sent`: on its way to another machine; that it was written there follows. */
  readonly state: "written" | "sent";
  readonly target: Correspondent;
}

export interface Subscription {
  readonly id: string;
  readonly target: Correspondent;
}

/** Everything that the peer writes of its own accord, and what comes back about it. */
export class Outgoing {
  readonly #options: OutgoingOptions;
  readonly #pacer: Pacer;
  readonly #sent = new Recent<SentMessage>(MAX_RECENT);
  readonly #subscriptions = new Recent<Correspondent>(MAX_RECENT);

  constructor(options: OutgoingOptions) {
    this.#options = options;
    this.#pacer = new Pacer(options.clock);
  }

  /** Settles when it is written, which may be long after: each target is written to only as fast as its inbox takes it. */
  async send(from: OwnName, target: Correspondent, text: string, attach: readonly string[] = [], given: Given = {}): Promise<Sent> {
    return await this.#write(from, target, { ...given, text, attach, hopChain: undefined });
  }

  /** To the session that wrote it, as the name that it came to; with that message's chain of hops. */
  async reply(message: IncomingMessage, text: string, attach: readonly string[] = [], given: Given = {}): Promise<Sent> {
    const { frame, to } = message;
    const target = this.#options.directory.byAddress(frame.from);
    if (!target) throw new CcmError("undeliverable", "the session that wrote it is no longer there");
    const { address } = await to.start();
    const came = parseEnvelope(frame.message.content)?.hopChain;
    return await this.#write(to, target, {
      ...given,
      text,
      attach,
      hopChain: extendHopChain(came, this.#options.tokens.tokenOf(address)),
    });
  }

  async subscribe(from: OwnName, target: Correspondent): Promise<Subscription> {
    const { address } = await from.start();
    const frame = idleSubscription(address, this.#options.mode);
    const id = frame.msg_id ?? "";
    this.#subscriptions.set(id, target);
    try {
      await from.deliver(target.identity, frame);
    } catch (error) {
      this.#subscriptions.take(id);
      throw error;
    }
    return { id, target };
  }

  /** A receipt about something that was sent; another one is nobody's. */
  takeReceipt(receipt: ReceiptFrame): void {
    for (const change of stateChanges(receipt, "written")) {
      this.#tell(change);
    }
  }

  /** The subscription that a notice answers: one that is open, and no other. */
  takeNotice({ orig_msg_id: id }: IdleNoticeFrame): Subscription | undefined {
    const target = this.#subscriptions.take(id);
    return target && { id, target };
  }

  /** The open subscriptions to a session that has left, which nothing will answer any more. */
  takeSubscriptionsTo({ address }: Correspondent): string[] {
    const open = this.#subscriptions.entries().filter(([, target]) => target.address === address);
    for (const [id] of open) this.#subscriptions.take(id);
    return open.map(([id]) => id);
  }

  /** What waits for its turn is not written any more. */
  close(): void {
    this.#pacer.close();
  }

  async #write(from: OwnName, target: Correspondent, body: Body): Promise<Sent> {
    refuseSelf(from, target);
    const { messageId = randomUuid() } = body;
    const endTurn = await this.#pacer.turn(`${from.name}\n${target.address}`);
    let attachments: readonly AttachmentDescriptor[] = [];
    try {
      if (body.attach.length > 0) attachments = await stageAttachments(this.#options.claudeConfig, body.attach);
      const written = await this.#handOver(from, target, { ...body, messageId, attachments }).finally(endTurn);
      await written.done;
    } catch (error) {
      endTurn();
      // What follows is told in this turn of the event loop, and everything else about the message after it.
      setImmediate(() => this.#tellEarly(messageId));
      if (toCcmError(error).code !== "unconfirmed") await unstageAttachments(attachments);
      throw error;
    }
    setImmediate(() => this.#tellEarly(messageId));
    return { messageId, state: target.machine === undefined ? "written" : "sent", target };
  }

  /** An inbox may answer before it has hung up; who sent the message hears first that it was written. */
  #tell(change: StateChange): void {
    const sent = this.#sent.get(change.messageId);
    if (sent?.early) sent.early.push(change);
    else if (sent) this.#options.onState(sent.as, change);
  }

  #tellEarly(messageId: string): void {
    const sent = this.#sent.get(messageId);
    const early = sent?.early ?? [];
    if (sent) sent.early = undefined;
    for (const change of early) this.#tell(change);
  }

  /** Settles when it is on its way, in its place among those to that target; `done` when it is written. */
  async #handOver(from: OwnName, target: Correspondent, message: Body & Composed): Promise<{ readonly done: Promise<void> }> {
    const { messageId } = message;
    const { address } = await from.start();
    const frame = this.#compose(from, address, message);
    frameLine(frame);
    this.#sent.set(messageId, { as: from.name, early: [] });
    if (target.machine !== undefined) await this.#options.follow(messageId, (change) => this.#tell(change));
    return { done: from.deliver(target.identity, frame) };
  }

  #compose(from: OwnName, address: string, message: Body & Composed): UserFrame {
    const { mode: fromMode } = this.#options;
    const { text, hopChain, messageId, attachments } = message;
    const fromName = sanitizeFromName(message.fromName ?? "") || sanitizeFromName(from.name);
    const fields = { from: address, ...(hopChain !== undefined && { hopChain }), fromName, ...(fromMode !== undefined && { fromMode }) };
    const content = buildEnvelope(fields, text);
    return userFrame({ from: address, messageId, content, ...(attachments.length > 0 && { attachments }) });
  }
}

/** What a program may say of a message beside what it holds. */
export interface Given {
  /** A new one unless one is given. */
  readonly messageId?: string;
  /** Shown in place of the name that it is written as. */
  readonly fromName?: string;
}

interface Body extends Given {
  readonly text: string;
  readonly attach: readonly string[];
  readonly hopChain: string | undefined;
}

interface SentMessage {
  readonly as: string;
  /** What became known before its sender was told that it is written; undefined from then on. */
  early: StateChange[] | undefined;
}

interface Composed {
  readonly messageId: string;
  readonly attachments: readonly AttachmentDescriptor[];
}

function refuseSelf(from: OwnName, target: Correspondent): void {
  if (target.address !== from.address?.address) return;
  throw new CcmError("message_to_self", `${from.name} is this peer itself`, { hint: "ccm roster lists who can be written to" });
}
