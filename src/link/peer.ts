import { type Frame, isUserFrame } from "../claude/frames.ts";
import type { Clock } from "../core/clock.ts";
import { CcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import type { LocalMembers } from "../members/local-members.ts";
import type { Member, MemberChanges } from "../members/member.ts";
import type { MirrorNames } from "../members/mirror-names.ts";
import type { LinkConnection } from "./connection.ts";
import { Exchange } from "./exchange.ts";
import type { FileEvent } from "./file-event.ts";
import { Files } from "./files.ts";
import { Lanes } from "./lanes.ts";
import { type MessageState, type StateChange, stateChanges } from "./message-state.ts";
import { Mirrors, type OpenMirror } from "./mirrors.ts";
import type { Outcome } from "./outbox.ts";
import { type AskOp, type FrameOp, type FrameSender, type Hello, type LinkOp, MAX_MEMBERS_PER_PEER } from "./protocol.ts";
import { Questions } from "./questions.ts";
import { relayIn } from "./relay-in.ts";
import { type RelayOutContext, relay, relayFromMirror, tellOfLost } from "./relay-out.ts";
import type { Attestation } from "./rewrite-frame.ts";

export type Direction = "dialled" | "answered";

/** What a peer reports to its owner, for the log, the trail and the status. */
export interface PeerEvents {
  onLinked(): void;
  onUnlinked(error: CcmError): void;
  /** The grace period is over, or the other side said that it will not be back: nothing of this peer is left. */
  onGone(): void;
  onState(direction: "out" | "in", frame: Frame, change: StateChange): void;
  onFile(event: FileEvent): void;
  onProblem(message: string): void;
  /** The other daemon asks something; what this throws is told to it. */
  onQuestion(question: AskOp["question"]): Promise<unknown>;
}

export interface PeerOptions {
  readonly machineId: string;
  readonly label: string;
  readonly claudeConfig: string;
  readonly localMembers: LocalMembers;
  readonly names: MirrorNames;
  readonly openMirror: OpenMirror;
  readonly clock: Clock;
  /** How long an unreachable machine's members stay listed and what is sent to them is held. */
  readonly graceMs: number;
  readonly attestation: () => Attestation;
  readonly events: PeerEvents;
}

type LinkState =
  | { readonly name: "new" }
  | {
      readonly name: "linked";
      readonly connection: LinkConnection;
      readonly hello: Hello;
      /** How far the other machine's clock is ahead of this one's, within the time that hello took. */
      readonly clockDifferenceMs: number | undefined;
      readonly direction: Direction;
      readonly since: number;
    }
  | {
      readonly name: "offline";
      readonly since: number;
      readonly direction: Direction;
      readonly error: CcmError;
      readonly cancelGrace: () => void;
    }
  | { readonly name: "gone" };

/**
 * One other machine as seen from here, across all connections to it: its members and their mirrors, what is on the way to it,
 * and what has come from it. A connection may break and another take its place; addresses and messages stay.
 */
export class Peer {
  readonly machineId: string;
  readonly #options: PeerOptions;
  readonly #mirrors: Mirrors;
  readonly #exchange: Exchange;
  readonly #files: Files;
  readonly #questions: Questions;
  readonly #relayOut: RelayOutContext;
  readonly #counters = { sent: 0, received: 0, failed: 0 };
  #label: string;
  #members = new Map<string, Member>();
  #membersOverLimit = 0;
  #state: LinkState = { name: "new" };

  constructor(options: PeerOptions) {
    const { localMembers, events } = options;
    this.machineId = options.machineId;
    this.#options = options;
    this.#label = options.label;
    this.#mirrors = new Mirrors({
      ...options,
      open: options.openMirror,
      onFrame: (memberId, frame) => relayFromMirror(memberId, frame, this.#relayOut),
      onLost: (memberId, message) => tellOfLost(memberId, message, this.#relayOut),
      onProblem: (message) => events.onProblem(message),
    });
    this.#questions = new Questions({ clock: options.clock, answer: (question) => events.onQuestion(question) });
    this.#exchange = new Exchange({ clock: options.clock, onFrame: (op) => this.#deliver(op) });
    this.#files = new Files({ ...options, onFile: (event) => events.onFile(event) });
    this.#relayOut = {
      localMembers,
      mirrors: this.#mirrors,
      exchange: this.#exchange,
      files: this.#files.out,
      lanes: new Lanes(),
      onState: (frame, state, reason) => this.#note("out", frame, state, reason),
      onProblem: (message) => events.onProblem(message),
    };
  }

  get label(): string {
    return this.#label;
  }

  get state(): LinkState {
    return this.#state;
  }

  get direction(): Direction | undefined {
    return "direction" in this.#state ? this.#state.direction : undefined;
  }

  get memberCount(): number {
    return this.#members.size;
  }

  get membersOverLimit(): number {
    return this.#membersOverLimit;
  }

  get counters(): Readonly<{ sent: number; received: number; failed: number }> {
    return { ...this.#counters };
  }

  rename(label: string): void {
    this.#label = label;
    this.#checkNames();
  }

  /** Takes a connection whose hellos are exchanged; one that it had is closed. Settles when the other side's members are known, or it ended. */
  async attach(connection: LinkConnection, hello: Hello, direction: Direction): Promise<void> {
    if (this.#state.name === "linked") this.#state.connection.close("replaced by a newer connection");
    if (this.#state.name === "offline") this.#state.cancelGrace();
    const { clock, localMembers, events } = this.#options;
    const since = clock.now();
    const clockDifferenceMs = hello.now === undefined ? undefined : hello.now - since;
    const state: LinkState = { name: "linked", connection, hello, clockDifferenceMs, direction, since };
    this.#state = state;
    this.#mirrors.setOffline(undefined);
    this.#exchange.open(connection, hello);
    this.#files.open(connection, hello);
    connection.send({ op: "members", members: [...localMembers.all.values()] });
    void connection.closed.then((error) => {
      if (this.#state === state) this.#unlinked(direction, error);
    });
    events.onLinked();
    const { promise: listed, resolve } = Promise.withResolvers<void>();
    connection.listen(
      (op) => {
        if (this.#state !== state) return;
        this.#receive(op);
        if (op.op === "members") resolve();
      },
      () => this.#exchange.pump(),
    );
    await Promise.race([listed, connection.closed]);
  }

  /** Settles when the sessions of the other machine that are known now are listed here. */
  async listed(): Promise<void> {
    await this.#mirrors.opened();
  }

  /** Members of this machine changed. */
  publish(changes: MemberChanges): void {
    if (this.#state.name === "linked") this.#state.connection.send({ op: "changed", put: [...changes.put], gone: [...changes.gone] });
    this.#checkNames();
  }

  memberByMirrorPid(pid: number): Member | undefined {
    return this.#mirrors.memberByPid(pid);
  }

  /** Sends for a `ccm` command instead of a mirror; settles with what became of it, never rejects. */
  send(from: FrameSender, memberId: string, frame: Frame): Promise<Outcome> {
    return relay(from, memberId, frame, this.#relayOut);
  }

  /** The network may have changed: asks the other side for a sign of life now, and does not wait long for it. */
  verify(): void {
    if (this.#state.name === "linked") this.#state.connection.verify();
  }

  /** Asks the other daemon; rejects with `link_down`, `timeout` or `refused`. */
  async ask(question: AskOp["question"], timeoutMs: number): Promise<unknown> {
    if (this.#state.name !== "linked") throw new CcmError("link_down", `${this.#label} is not linked now`);
    return this.#questions.ask(this.#state.connection, question, timeoutMs);
  }

  /** Before a planned end; as of the exchange. */
  drain(reason: string): Promise<void> {
    return this.#exchange.drain(reason);
  }

  /** Ends the link for good. Whoever waits for an outcome is told; settles when every mirror has gone. */
  async close(reason: string, final: boolean): Promise<void> {
    const state = this.#state;
    this.#state = { name: "gone" };
    if (state.name === "linked") state.connection.close(reason, final);
    if (state.name === "offline") state.cancelGrace();
    await this.#dissolve(reason);
  }

  #receive(op: LinkOp): void {
    // A file is of use only to the daemon that gets its message.
    if (op.op === "drain") this.#files.out.suspend();
    if (this.#exchange.receive(op) || this.#files.receive(op)) return;
    switch (op.op) {
      case "members":
        return this.#setMembers(new Map(op.members.map((member) => [member.id, member])));
      case "changed": {
        const members = new Map(this.#members);
        for (const id of op.gone) members.delete(id);
        for (const member of op.put) members.set(member.id, member);
        return this.#setMembers(members);
      }
      case "ask":
        if (this.#state.name === "linked") void this.#questions.reply(this.#state.connection, op);
        return;
      case "answer":
        return this.#questions.answered(op);
      case "bye":
        return this.#gone(`${this.#label} ended the link: ${plainLine(op.reason)}`);
      case "problem":
        return this.#options.events.onProblem(`${this.#label} reports: ${plainLine(op.message)}`);
    }
  }

  async #deliver(op: FrameOp): Promise<Outcome> {
    const { claudeConfig, localMembers, attestation } = this.#options;
    const context = { claudeConfig, localMembers, mirrors: this.#mirrors, label: this.#label, attestation: attestation() };
    const claimed = this.#files.in.claim(op.frame);
    const outcome = await relayIn({ ...op, frame: claimed.frame }, context);
    claimed.settled(outcome.state);
    this.#note("in", op.frame, outcome.state, outcome.reason);
    return outcome;
  }

  #setMembers(members: Map<string, Member>): void {
    this.#members = new Map([...members].slice(0, MAX_MEMBERS_PER_PEER));
    this.#membersOverLimit = members.size - this.#members.size;
    this.#mirrors.sync(this.#members);
  }

  #checkNames(): void {
    this.#mirrors.rename(this.#label, (name) => this.#options.localMembers.hasName(name));
  }

  #unlinked(direction: Direction, error: CcmError): void {
    const { clock, graceMs, events } = this.#options;
    const since = clock.now();
    const cancelGrace = clock.after(graceMs, () => this.#gone(`${this.#label} was not reachable for ${Math.round(graceMs / 1000)} s`));
    this.#exchange.suspend();
    this.#files.suspend();
    this.#questions.failAll(error);
    this.#state = { name: "offline", since, direction, error, cancelGrace };
    this.#mirrors.setOffline(since);
    events.onUnlinked(error);
  }

  #gone(reason: string): void {
    if (this.#state.name === "gone") return;
    void this.close(reason, false).then(() => this.#options.events.onGone());
  }

  /** First every sender is told, by the mirror that it wrote to; then the mirrors leave. */
  async #dissolve(reason: string): Promise<void> {
    this.#exchange.abandon(reason);
    const filesClosed = this.#files.close();
    this.#members = new Map();
    this.#mirrors.sync(this.#members);
    await this.#mirrors.settled();
    await this.#mirrors.close();
    await filesClosed;
  }

  #note(direction: "out" | "in", frame: Frame, state: MessageState, reason?: string): void {
    const changes = stateChanges(frame, state, reason);
    if (changes.length === 0) return;
    if (isUserFrame(frame) && state === "written") this.#counters[direction === "out" ? "sent" : "received"] += 1;
    else if (isUserFrame(frame) && state !== "queued" && state !== "sent") this.#counters.failed += 1;
    for (const change of changes) this.#options.events.onState(direction, frame, change);
  }
}
