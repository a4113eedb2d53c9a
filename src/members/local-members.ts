import type { RegistryEntry } from "../claude/registry.ts";
import type { RegistryView } from "../claude/registry-view.ts";
import type { SessionRecord } from "../claude/session-record.ts";
import { type Member, type MemberChanges, memberChanges, memberId } from "./member.ts";
import type { RosterView } from "./roster-view.ts";
import type { SessionAttributes } from "./session-attributes.ts";

/** The `agent` field of a mirror's record: such a session is not ours to publish. */
export const MIRROR_AGENT = "claude-code-message";

/** Where the rest comes from that a registry record does not say. */
export type Attributes = Pick<RosterView, "attributesOf" | "onChange">;

const noAttributes: Attributes = { attributesOf: () => ({}), onChange: () => () => {} };

/** Where a member of this machine takes messages. */
export interface LocalTarget {
  readonly pid: number;
  readonly procStart: string;
  readonly socketPath: string;
}

/** The sessions of this machine that are members of the chat: those in the registry that can be reached and are no mirrors. */
export class LocalMembers {
  readonly #view: RegistryView;
  readonly #attributes: Attributes;
  readonly #listeners = new Set<(changes: MemberChanges) => void>();
  readonly #stopListening: readonly (() => void)[];
  #members = new Map<string, Member>();
  #targets = new Map<string, LocalTarget>();
  #idBySocket = new Map<string, string>();

  constructor(view: RegistryView, attributes: Attributes = noAttributes) {
    this.#view = view;
    this.#attributes = attributes;
    this.#stopListening = [view, attributes].map((source) => source.onChange(() => this.#read()));
    this.#read();
  }

  get all(): ReadonlyMap<string, Member> {
    return this.#members;
  }

  target(id: string): LocalTarget | undefined {
    return this.#targets.get(id);
  }

  bySocket(socketPath: string): Member | undefined {
    const id = this.#idBySocket.get(socketPath);
    return id === undefined ? undefined : this.#members.get(id);
  }

  hasName(name: string): boolean {
    return this.#members.values().some((member) => member.name === name);
  }

  /** Looks at the registry now, for one who has just been told of a session that is not here yet. */
  refresh(): void {
    this.#view.refresh();
    this.#read();
  }

  onChange(listener: (changes: MemberChanges) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    for (const stop of this.#stopListening) stop();
    this.#listeners.clear();
  }

  #read(): void {
    const before = this.#members;
    this.#members = new Map();
    this.#targets = new Map();
    this.#idBySocket = new Map();
    for (const { record, unreachable } of this.#view.entries()) {
      if (record && !unreachable && record.agent !== MIRROR_AGENT) this.#add(record);
    }
    const changes = memberChanges(before, this.#members);
    if (changes) for (const listener of this.#listeners) listener(changes);
  }

  #add(record: NonNullable<RegistryEntry["record"]>): void {
    const { pid, procStart, messagingSocketPath: socketPath } = record;
    if (procStart === undefined || socketPath === undefined) return;
    const member = toMember(record, procStart, this.#attributes.attributesOf(record));
    this.#members.set(member.id, member);
    this.#targets.set(member.id, { pid, procStart, socketPath });
    this.#idBySocket.set(socketPath, member.id);
  }
}

function toMember(record: SessionRecord, procStart: string, { task, permissionClass }: SessionAttributes): Member {
  const { pid, name, sessionId, cwd, status, version, startedAt } = record;
  const id = memberId({ pid, procStart });
  return { id, pid, procStart, name: name ?? "", sessionId, cwd, status, task, mode: permissionClass, version, startedAt };
}
