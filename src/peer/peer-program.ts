import type { InboundPolicy, ModeClass } from "../claude/admission/consent.ts";
import { HopTokens } from "../claude/admission/hop-chain.ts";
import type { Client } from "../claude/admission/self-sent.ts";
import { receiveAttachments } from "../claude/attachments/receive.ts";
import { type Frame, isArtifactFrame, isIdleNotice, isIdleSubscription, isReceipt, isUserFrame } from "../claude/frames.ts";
import { openRegistryView, type RegistryView } from "../claude/registry-view.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { CcmError } from "../core/errors.ts";
import type { StateChange } from "../link/message-state.ts";
import type { MirrorAddress } from "../mirror/mirror.ts";
import { takeArtifactFrame } from "./artifact-frames.ts";
import { Departures } from "./departures.ts";
import { Directory } from "./directory.ts";
import { heldEvent, messageEvent, sessionFields } from "./events.ts";
import { type IncomingMessage, NameInbox } from "./name-inbox.ts";
import { Outgoing } from "./outgoing.ts";
import { OwnName } from "./own-name.ts";
import { Recent } from "./recent.ts";
import type { PeerEvent } from "./schema/output.ts";
import { sweepDeadPeers } from "./sweep.ts";

/** Older messages can no longer be replied to. */
const MAX_REPLIABLE = 1_000;

export interface PeerProgramOptions {
  readonly name: string;
  /** Of its first name, where it goes on with a conversation. */
  readonly sessionId?: string | undefined;
  /** Started when first used. */
  readonly aliases: readonly string[];
  readonly inbound: InboundPolicy;
  /** What its messages declare, if anything. */
  readonly mode: ModeClass | undefined;
  readonly claudeConfig: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Settles when whoever reads the events has this one. */
  readonly emit: (event: PeerEvent) => Promise<void>;
  /** What the daemon learns of messages to other machines, until `signal` aborts. */
  readonly follow: (messageId: string, onChange: (change: StateChange) => void, signal: AbortSignal) => Promise<void>;
  readonly clock?: Clock;
}

/** A name of the peer, and what comes to it. */
export interface Place {
  readonly own: OwnName;
  readonly inbox: NameInbox;
}

/** A full peer under one name or several, for a program that reads its events and gives it commands. */
export class PeerProgram {
  readonly directory: Directory;
  readonly outgoing: Outgoing;
  readonly #options: PeerProgramOptions & { readonly clock: Clock };
  readonly #view: RegistryView;
  readonly #departures: Departures;
  readonly #tokens = new HopTokens();
  readonly #places = new Map<string, Place>();
  readonly #messages = new Recent<IncomingMessage>(MAX_REPLIABLE);
  readonly #over = new AbortController();
  #queued = 0;

  constructor(options: PeerProgramOptions) {
    const { claudeConfig, clock = systemClock, mode } = options;
    this.#options = { ...options, clock };
    this.#view = openRegistryView({ claudeConfig, clock, onProblem: (message) => this.problem(message) });
    this.directory = new Directory(this.#view);
    this.#departures = new Departures({ directory: this.directory, clock, onGone: (one) => this.#tellGone(one) });
    this.outgoing = new Outgoing({
      directory: this.directory,
      mode,
      tokens: this.#tokens,
      clock,
      claudeConfig,
      follow: (messageId, onChange) => options.follow(messageId, onChange, this.#over.signal),
      onState: (as, { messageId, state, reason }) =>
        this.tell({ event: "receipt", messageId, as, state, ...(reason !== undefined && { reason }) }),
    });
    for (const name of [options.name, ...options.aliases]) this.addName(name);
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  /** Settles when its first name is listed. Rejects with what keeps it from that. */
  async start(): Promise<void> {
    sweepDeadPeers(this.#options.claudeConfig, this.#view.entries());
    await this.place(undefined).own.start();
  }

  /** A name of its own; the first one unless another is said. Throws `no_such_member`. */
  place(name: string | undefined): Place {
    const wanted = name ?? this.#options.name;
    const place = this.#places.get(wanted);
    if (place) return place;
    throw new CcmError("no_such_member", `${wanted} is no name of this peer`, { hint: 'make it one: {"op":"alias","name":…}' });
  }

  addName(name: string): Place {
    const known = this.#places.get(name);
    if (known) return known;
    const { clock, env, claudeConfig, cwd, inbound: policy, mode } = this.#options;
    const own = new OwnName({
      name,
      sessionId: name === this.#options.name ? this.#options.sessionId : undefined,
      record: { cwd },
      env,
      claudeConfig,
      clock,
      onReady: (ready, address) => this.#tellReady(ready, address),
      onFrame: (place, frame, client) => this.#take(place.name, frame, client),
      onProblem: (message) => this.problem(message),
    });
    const inbox = new NameInbox({
      name: own,
      policy,
      mode,
      tokens: this.#tokens,
      directory: this.directory,
      clock,
      queued: () => this.#queued,
      onMessage: (message) => this.#handOver(message),
      onHeld: (message, cause) => this.tell(heldEvent(message, cause)),
      onLapsed: ({ id, to }) => this.tell({ event: "lapsed", id, to: to.name }),
      onProblem: (message) => this.problem(message),
    });
    const place = { own, inbox };
    this.#places.set(name, place);
    return place;
  }

  /** The first name stays as long as the peer. */
  async retire(name: string): Promise<void> {
    if (name === this.#options.name) throw new CcmError("usage", `${name} is the peer's first name`, { hint: "end the peer instead" });
    await this.#leave(this.place(name));
  }

  /** A message that came in lately. Throws `no_such_message`. */
  message(id: string): IncomingMessage {
    const message = this.#messages.get(id);
    if (message) return message;
    throw new CcmError("no_such_message", `no message ${id} has come in lately`);
  }

  /** Throws `no_such_message` for one that is not held, or no more. */
  async decide(id: string, decision: "delivered" | "denied"): Promise<void> {
    for (const { inbox } of this.#places.values()) if (await inbox.decide(id, decision)) return;
    throw new CcmError("no_such_message", `no message ${id} is held`);
  }

  /** From now on its end is told. */
  watch(correspondent: Parameters<Departures["watch"]>[0]): void {
    this.#departures.watch(correspondent);
  }

  tell(event: PeerEvent): void {
    void this.#options.emit(event);
  }

  problem(message: string): void {
    this.tell({ event: "problem", message });
  }

  /** Leaves the registry under all names, when those who wait for something have been told. May be called again. */
  async close(): Promise<void> {
    this.outgoing.close();
    this.#over.abort();
    this.#departures.close();
    await Promise.all([...this.#places.values()].map((place) => this.#leave(place)));
    this.#view.close();
  }

  async #leave({ own, inbox }: Place): Promise<void> {
    await inbox.leave();
    await own.retire();
    this.#places.delete(own.name);
  }

  #tellReady({ name, sessionId, childToken }: OwnName, { address, pid, socketPath: socket }: MirrorAddress): void {
    this.#places.get(name)?.inbox.moveTo(address);
    this.tell({ event: "ready", name, address, pid, socket, sessionId, childToken });
    if (this.directory.others(name, pid) > 0)
      this.problem(`${name} is the name of another session as well: write to either by its address`);
  }

  async #take(name: string, frame: Frame, client: Client): Promise<void> {
    const { inbox } = this.place(name);
    if (isUserFrame(frame)) await inbox.take(frame, client);
    else if (isIdleSubscription(frame)) inbox.takeSubscription(frame, client);
    else if (isReceipt(frame)) this.outgoing.takeReceipt(frame);
    else if (isIdleNotice(frame)) this.#takeNotice(frame);
    else if (isArtifactFrame(frame)) takeArtifactFrame(this, name, frame, client);
    else this.problem(`${name}: a frame that is of no use here: ${JSON.stringify({ type: frame.type, action: frame["action"] })}`);
  }

  #takeNotice(frame: Frame & Parameters<Outgoing["takeNotice"]>[0]): void {
    const subscription = this.outgoing.takeNotice(frame);
    if (!subscription) return;
    const about = { subscription: subscription.id, ...sessionFields(subscription.target) };
    if (frame.state !== "idle") return this.tell({ event: "gone", ...about });
    const { finished_at: finishedAt, detail } = frame;
    this.tell({ event: "idle", ...about, ...(finishedAt !== undefined && { finishedAt }), ...(detail !== undefined && { detail }) });
  }

  #tellGone(correspondent: Parameters<Departures["watch"]>[0]): void {
    const subscriptions = this.outgoing.takeSubscriptionsTo(correspondent);
    for (const subscription of subscriptions) this.tell({ event: "gone", subscription, ...sessionFields(correspondent) });
    if (subscriptions.length === 0) this.tell({ event: "gone", ...sessionFields(correspondent) });
  }

  async #handOver(message: IncomingMessage): Promise<void> {
    this.#messages.set(message.id, message);
    if (message.sender) this.watch(message.sender);
    this.#queued += 1;
    try {
      const { claudeConfig, emit } = this.#options;
      const { files, notes } = await receiveAttachments(message.frame, { claudeConfig, sessionId: message.to.sessionId });
      await emit(messageEvent(message, files, notes));
    } finally {
      this.#queued -= 1;
    }
  }
}
