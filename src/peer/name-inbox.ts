import { Admission } from "../claude/admission/admission.ts";
import type { InboundPolicy, ModeClass } from "../claude/admission/consent.ts";
import { DropReceipts } from "../claude/admission/drop-receipts.ts";
import { Holds } from "../claude/admission/holds.ts";
import type { HopTokens } from "../claude/admission/hop-chain.ts";
import { decisionReceipt, verdictReceipt } from "../claude/admission/receipts.ts";
import { type Client, isSelfSent } from "../claude/admission/self-sent.ts";
import { ArtifactReplies } from "../claude/artifact-replies.ts";
import type { DropReason, Frame, UserFrame } from "../claude/frames.ts";
import { IdleSubscriptions, type TurnEnd } from "../claude/idle-subscriptions.ts";
import type { Clock } from "../core/clock.ts";
import { randomUuid } from "../core/random.ts";
import type { Correspondent, Directory } from "./directory.ts";
import type { OwnName } from "./own-name.ts";

export interface NameInboxOptions {
  readonly name: OwnName;
  readonly policy: InboundPolicy;
  readonly mode: ModeClass | undefined;
  readonly tokens: HopTokens;
  readonly directory: Directory;
  readonly clock: Clock;
  /** How many messages the program has not read yet. */
  readonly queued: () => number;
  /** Settles when the program has it. */
  readonly onMessage: (message: IncomingMessage) => Promise<void>;
  readonly onHeld: (message: IncomingMessage, cause: "mode-mismatch" | "no-mode-asserted" | "policy") => void;
  readonly onLapsed: (message: IncomingMessage) => void;
  readonly onProblem: (message: string) => void;
}

/** A message that may reach the program. */
export interface IncomingMessage {
  readonly id: string;
  readonly frame: UserFrame;
  readonly to: OwnName;
  /** Who wrote it, if that is a session that is here. */
  readonly sender: Correspondent | undefined;
  readonly isSelfSent: boolean;
  readonly receivedAt: number;
}

interface HeldMessage {
  readonly message: IncomingMessage;
  /** Whether its sender is to be told: it is who it says it is. */
  readonly tell: Correspondent | undefined;
  readonly settle: () => void;
}

/** What others write to one name of the peer, and what they are told about it. */
export class NameInbox {
  readonly subscriptions: IdleSubscriptions;
  readonly artifacts: ArtifactReplies;
  readonly #options: NameInboxOptions;
  readonly #holds: Holds<HeldMessage>;
  readonly #admission: Admission;
  readonly #drops: DropReceipts;
  /** Set while it is idle. */
  #turnEnd: TurnEnd | undefined;

  constructor(options: NameInboxOptions) {
    const { name, policy, mode, clock } = options;
    this.#options = options;
    this.#admission = new Admission({ policy, ownMode: mode, clock });
    this.#drops = new DropReceipts({ clock, write: (sender, receipt) => void this.#notify({ to: sender, notice: receipt }) });
    this.subscriptions = new IdleSubscriptions("", mode);
    this.artifacts = new ArtifactReplies("", name.sessionId);
    this.#turnEnd = { finishedAt: clock.now() };
    this.#holds = new Holds({ clock, onExpire: (held) => this.#expire(held) });
  }

  /** The name is listed, perhaps again and elsewhere. */
  moveTo(address: string): void {
    this.subscriptions.from = address;
    this.artifacts.from = address;
  }

  /** Settles when it is decided and its sender need not fear any more that it is lost with this program. */
  async take(frame: UserFrame, client: Client): Promise<void> {
    const { name, tokens, directory, queued, onMessage, onProblem } = this.#options;
    const { address, pid } = name.address ?? {};
    if (address === undefined || pid === undefined) return;
    const message = this.#describe(
      frame,
      isSelfSent(client, { ownPids: [process.pid, pid], isSession: (one) => directory.isSession(one) }),
    );
    const tell = this.senderOf(frame, client);
    const arrival = {
      frame,
      isSelfSent: message.isSelfSent,
      ownToken: tokens.tokenOf(address),
      sessionId: name.sessionId,
      queued: queued(),
    };
    const verdict = this.#admission.judge(arrival);
    const receipt = frame.msg_id === undefined ? undefined : verdictReceipt(verdict, address, frame.msg_id);
    if (receipt && tell) void this.#write(tell, receipt);
    if (verdict.kind === "accept") await onMessage(message);
    else if (verdict.kind === "hold") await this.#hold({ message, tell }, verdict.cause);
    else if (verdict.kind === "drop") this.#drop(message, verdict.reason, tell && { from: address, sender: tell.address });
    else if (verdict.kind === "ignore") onProblem(`${name.name}: a message was left alone: ${verdict.why}`);
  }

  /** Whoever asked is told, if it is who it says it is. */
  takeSubscription(frame: Parameters<IdleSubscriptions["ask"]>[0], client: Client): void {
    if (!this.senderOf(frame, client)) return;
    const answer = this.subscriptions.ask(frame, this.#turnEnd);
    if (answer) void this.#notify(answer);
  }

  /** What this name is at. Who waits for it to be idle is told. */
  setTurn(turnEnd: TurnEnd | undefined): void {
    this.#turnEnd = turnEnd;
    if (turnEnd) for (const notice of this.subscriptions.tellAll("idle", turnEnd)) void this.#notify(notice);
  }

  /** A held message is let through (settles when the program has it) or declined. False if it is not held, or no more. */
  async decide(messageId: string, decision: "delivered" | "denied"): Promise<boolean> {
    const held = this.#holds.take(messageId);
    if (!held) return false;
    if (decision === "delivered") await this.#options.onMessage(held.message);
    this.#tellDecision(held, decision);
    held.settle();
    return true;
  }

  /** Tells everybody who waits for something from this name that nothing comes any more. */
  async leave(): Promise<void> {
    this.#holds.close();
    this.#drops.close(this.subscriptions.from);
    const notices = this.subscriptions.tellAll("exited", this.#turnEnd ?? { finishedAt: this.#options.clock.now() });
    await Promise.all(notices.map((notice) => this.#notify(notice)));
  }

  /** The session that made a connection, if it also owns the address that it gave: only that is told what became of its frame. */
  senderOf(frame: Frame, { pid }: Client): Correspondent | undefined {
    const found = this.#options.directory.byAddress(frame.from);
    return pid === undefined || found?.identity.pid === pid ? found : undefined;
  }

  #describe(frame: UserFrame, isOwn: boolean): IncomingMessage {
    const { name, directory, clock } = this.#options;
    const sender = directory.byAddress(frame.from);
    return { id: frame.msg_id ?? randomUuid(), frame, to: name, sender, isSelfSent: isOwn, receivedAt: clock.now() };
  }

  #hold(held: Omit<HeldMessage, "settle">, cause: Parameters<NameInboxOptions["onHeld"]>[1]): Promise<void> {
    return new Promise((settle) => {
      this.#holds.add(held.message.id, { ...held, settle });
      this.#options.onHeld(held.message, cause);
    });
  }

  #drop({ frame }: IncomingMessage, reason: DropReason, tell: { readonly from: string; readonly sender: string } | undefined): void {
    const { name, onProblem } = this.#options;
    onProblem(`${name.name}: a message was dropped: ${reason}`);
    if (tell && frame.msg_id !== undefined) this.#drops.add(tell.from, tell.sender, reason, frame.msg_id);
  }

  #expire(held: HeldMessage): void {
    this.#options.onLapsed(held.message);
    this.#tellDecision(held, "expired");
    held.settle();
  }

  #tellDecision({ message, tell }: HeldMessage, status: "delivered" | "denied" | "expired"): void {
    const address = this.#options.name.address;
    if (tell && address) this.#write(tell, decisionReceipt(status, address.address, message.id));
  }

  #notify({ to, notice }: { readonly to: string; readonly notice: Frame }): Promise<void> {
    const target = this.#options.directory.byAddress(to);
    return target ? this.#write(target, notice) : Promise.resolve();
  }

  /** Nobody waits for it, and the receiver of a notice may have gone. */
  async #write(target: Correspondent, frame: Frame): Promise<void> {
    const { name, onProblem } = this.#options;
    try {
      await name.deliver(target.identity, frame);
    } catch (error) {
      onProblem(`${name.name}: ${target.name} was not told: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
