import os from "node:os";
import type { Frame } from "../claude/frames.ts";
import type { Clock } from "../core/clock.ts";
import { CcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import { type LocalTarget, MIRROR_AGENT } from "../members/local-members.ts";
import type { Member } from "../members/member.ts";
import type { MirrorNames } from "../members/mirror-names.ts";
import { cleanTask } from "../members/task.ts";
import type { Mirror, MirrorOptions } from "../mirror/mirror.ts";
import type { UnreadMessage } from "../mirror/mirror-protocol.ts";
import { Backoff } from "./backoff.ts";
import { type Turn, Turns } from "./turns.ts";
import { UsableMirror } from "./usable-mirror.ts";

/** How a mirror is opened, given what a peer decides about it. */
export type OpenMirror = (options: Pick<MirrorOptions, "name" | "record" | "onFrame" | "onLost" | "onExit" | "onProblem">) => Mirror;

export interface MirrorsOptions {
  readonly machineId: string;
  readonly label: string;
  readonly names: MirrorNames;
  readonly open: OpenMirror;
  readonly clock: Clock;
  /** A local session wrote `frame` to the mirror of `memberId`. */
  readonly onFrame: (memberId: string, frame: Frame) => Promise<void>;
  /** The mirror of `memberId` was killed before it could hand on the whole of a message. */
  readonly onLost: (memberId: string, message: UnreadMessage) => Promise<void>;
  readonly onProblem: (message: string) => void;
}

/** Who a mirror is to the sessions of this machine. */
export interface MirrorSender {
  /** `uds:` and its socket. */
  readonly address: string;
  readonly name: string;
}

interface Entry {
  member: Member;
  mirror: Mirror | undefined;
  readonly usable: UsableMirror;
  name: string;
  readonly backoff: Backoff;
  openedAtMs: number;
  /** Its first opening. */
  turn: Turn | undefined;
  cancelReopen: (() => void) | undefined;
  /** Messages that went through this mirror and whose sender may still have to be told something by it. */
  busy: number;
  leaving: boolean;
}

/** Starting a process holds up the daemon, the more so the more of them there are that compete for the processors. */
const OPENING_AT_ONCE = 2 * os.availableParallelism();
const REOPEN_FIRST_MS = 50;
const REOPEN_MAX_MS = 30_000;
/** A mirror that lived this long did not die of being opened. */
const STEADY_MS = 10_000;

/** The mirrors of one other machine's members, kept in step with its list. One that dies is replaced. */
export class Mirrors {
  readonly #options: MirrorsOptions;
  readonly #entries = new Map<string, Entry>();
  #label: string;
  #offlineSince: number | undefined;
  readonly #turns = new Turns(OPENING_AT_ONCE);
  readonly #closing = new Set<Promise<void>>();
  readonly #work = new Set<Promise<void>>();

  constructor(options: MirrorsOptions) {
    this.#options = options;
    this.#label = options.label;
  }

  name(memberId: string): string | undefined {
    return this.#entries.get(memberId)?.name;
  }

  /** The member whose mirror has this pid. */
  memberByPid(pid: number): Member | undefined {
    return this.#entries.values().find(({ mirror }) => mirror?.state.kind === "ready" && mirror.state.mirror.pid === pid)?.member;
  }

  /**
   * Has the mirror of `memberId` write to a local session what `frameFrom` makes of the mirror's address and name; in the order of the
   * calls. A mirror that is being made, or made anew, is waited for. Undefined if there is no such member. Rejects with `undeliverable`,
   * `too_large` or `unconfirmed`, and with `timeout` if there is no mirror for half a minute.
   */
  deliver(memberId: string, target: LocalTarget, frameFrom: (sender: MirrorSender) => Frame): Promise<void> | undefined {
    const entry = this.#entries.get(memberId);
    entry?.turn?.now();
    // The last words of a session that ends are still written.
    return entry && this.#keep(entry, () => this.#write(entry, target, frameFrom));
  }

  /** Opens, updates and closes mirrors until they are those of `members`. */
  sync(members: ReadonlyMap<string, Member>): void {
    for (const member of members.values()) this.#put(member);
    for (const [id, entry] of this.#entries) if (!members.has(id)) this.#retire(id, entry);
  }

  /** The other machine has another label here, or a name that a mirror has is taken by a session of this machine. */
  rename(label: string, isTaken: (name: string) => boolean): void {
    const changed = label !== this.#label;
    this.#label = label;
    for (const entry of this.#entries.values()) if (changed || isTaken(entry.name)) this.#update(entry, entry.member, true);
  }

  /** Shows in every record since when the other machine cannot be reached; undefined when it can. */
  setOffline(since: number | undefined): void {
    if (since === this.#offlineSince) return;
    this.#offlineSince = since;
    for (const entry of this.#entries.values()) entry.mirror?.update(this.#record(entry));
  }

  /** Keeps the member's mirror until `work` has settled, even if the member leaves meanwhile. */
  async keepDuring(memberId: string, work: () => Promise<void>): Promise<void> {
    const entry = this.#entries.get(memberId);
    if (!entry) return work();
    const running = this.#keep(entry, work).finally(() => this.#work.delete(running));
    this.#work.add(running);
    await running;
  }

  /** Settles when every mirror that is being opened is there, or will not be. */
  async opened(): Promise<void> {
    await Promise.allSettled([...this.#entries.values()].map(({ mirror }) => mirror?.ready));
  }

  /** Settles when no mirror is kept by work any more; it is bounded, since every delivery has a deadline. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  /** Closes all of them, also those still busy; settles when every process has ended. */
  async close(): Promise<void> {
    for (const [id, entry] of this.#entries) {
      entry.busy = 0;
      this.#retire(id, entry);
    }
    await Promise.all(this.#closing);
  }

  async #keep(entry: Entry, work: () => Promise<void>): Promise<void> {
    entry.busy += 1;
    await work().finally(() => {
      entry.busy -= 1;
      if (entry.leaving) this.#retire(entry.member.id, entry);
    });
  }

  /** Also one that is ready may have ended a moment ago. */
  async #write(entry: Entry, target: LocalTarget, frameFrom: (sender: MirrorSender) => Frame): Promise<void> {
    for (;;) {
      const ended = await entry.usable.use(async ({ mirror, address }) => {
        if (mirror.state.kind !== "ready") return mirror;
        await mirror.deliver(target, frameFrom({ address, name: entry.name }));
        return undefined;
      });
      if (!ended) return;
      if (entry.mirror === ended) throw leftBefore(entry);
    }
  }

  #put(member: Member): void {
    const known = this.#entries.get(member.id);
    if (known) {
      known.leaving = false;
      this.#update(known, member, known.member.name !== member.name);
      return;
    }
    const entry: Entry = {
      member,
      mirror: undefined,
      usable: new UsableMirror(this.#options.clock),
      name: this.#claim(member),
      backoff: new Backoff({ firstMs: REOPEN_FIRST_MS, maxMs: REOPEN_MAX_MS, random: Math.random }),
      openedAtMs: 0,
      turn: undefined,
      cancelReopen: undefined,
      busy: 0,
      leaving: false,
    };
    this.#entries.set(member.id, entry);
    entry.turn = this.#turns.take(() => this.#open(entry).ready);
  }

  #update(entry: Entry, member: Member, renamed: boolean): void {
    if (!renamed && JSON.stringify(entry.member) === JSON.stringify(member)) return;
    entry.member = member;
    if (renamed) entry.name = this.#claim(member);
    entry.mirror?.update(this.#record(entry));
  }

  #open(entry: Entry): Mirror {
    const mirror = this.#options.open({
      name: entry.name,
      record: this.#record(entry),
      onFrame: (frame) => this.#options.onFrame(entry.member.id, frame),
      onLost: (message) => void this.#options.onLost(entry.member.id, message),
      onProblem: (message) => this.#options.onProblem(`mirror ${plainLine(entry.name)}: ${plainLine(message)}`),
      onExit: ({ kind, error }) => this.#died(entry, mirror, error?.message ?? kind),
    });
    entry.mirror = mirror;
    // One that dies before it is ready is opened again.
    mirror.ready.then(({ address }) => entry.usable.found({ mirror, address })).catch(() => undefined);
    entry.openedAtMs = this.#options.clock.monotonicMs();
    return mirror;
  }

  #died(entry: Entry, mirror: Mirror, reason: string): void {
    if (entry.mirror !== mirror) return;
    entry.mirror = undefined;
    if (this.#entries.get(entry.member.id) !== entry) return entry.usable.end(leftBefore(entry));
    entry.usable.lost();
    const { clock } = this.#options;
    if (clock.monotonicMs() - entry.openedAtMs > STEADY_MS) entry.backoff.reset();
    this.#options.onProblem(`mirror ${plainLine(entry.name)} ended (${plainLine(reason)}); it is opened again`);
    entry.cancelReopen = clock.after(entry.backoff.nextMs(), () => this.#open(entry));
  }

  #retire(id: string, entry: Entry): void {
    entry.leaving = true;
    if (entry.busy > 0 || this.#entries.get(id) !== entry) return;
    this.#entries.delete(id);
    this.#options.names.release(this.#owner(entry.member));
    entry.turn?.cancel();
    entry.cancelReopen?.();
    if (!entry.mirror) return entry.usable.end(leftBefore(entry));
    const closing = entry.mirror.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  #claim(member: Member): string {
    return this.#options.names.claim(this.#owner(member), this.#label, member.name);
  }

  #owner(member: Member): string {
    return `${this.#options.machineId} ${member.id}`;
  }

  #record({ member, name }: Entry): Record<string, unknown> {
    const task = member.task === undefined ? undefined : cleanTask(member.task);
    const offline = this.#offlineSince === undefined ? undefined : `offline since ${new Date(this.#offlineSince).toISOString()}`;
    return {
      agent: MIRROR_AGENT,
      name,
      cwd: member.cwd,
      status: member.status,
      version: member.version,
      detail: offline ?? task,
      ccmTask: task,
      ccmMode: member.mode,
      ccmHost: this.#label,
      ccmRemoteName: member.name,
      ccmRemotePid: member.pid,
      ccmRemoteSessionId: member.sessionId,
      ccmOfflineSince: this.#offlineSince,
    };
  }
}

function leftBefore({ name }: Entry): CcmError {
  return new CcmError("undeliverable", `${plainLine(name)} has left this machine before it could write that`);
}
