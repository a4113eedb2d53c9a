import { socketAddress } from "../claude/frames.ts";
import { type RegistryEntry, readRegistry } from "../claude/registry.ts";
import { CcmError } from "../core/errors.ts";
import { readLightConfig } from "../core/light-config.ts";
import type { Paths } from "../core/paths.ts";
import { plainLine } from "../core/plain-text.ts";
import { resolveMember } from "../members/resolve-target.ts";
import { listMembers, type RosterContext, type RosterMember, rosterMembers } from "../members/roster-members.ts";
import { readSessionAttributes } from "../members/session-attributes.ts";
import { matchesPattern } from "./matches-pattern.ts";
import type { Session, SessionQuery } from "./schema.ts";

/** Characters; where others wrote the text. */
const MAX_NAME = 80;
const MAX_DIRECTORY = 1_000;
const MAX_WORD = 40;

/** The sessions of all machines, as the registry of this one and the roster have them at the moment of asking. */
export class Sessions {
  readonly #paths: Paths;
  readonly #ownPid: () => number | undefined;

  constructor(paths: Paths, ownPid: () => number | undefined) {
    this.#paths = paths;
    this.#ownPid = ownPid;
  }

  /** What the machine of this API is called. */
  get machine(): string {
    return readLightConfig(this.#paths).label;
  }

  async list({ machine, name }: SessionQuery): Promise<Session[]> {
    const sessions = await this.#read(readRegistry(this.#paths.claudeConfig));
    return sessions.filter(
      (session) => (machine === undefined || session.machine === machine) && (name === undefined || isNamed(session, name)),
    );
  }

  /** Throws `no_such_member` and `ambiguous_name`. */
  async find(text: string): Promise<Session> {
    const entries = readRegistry(this.#paths.claudeConfig);
    const { pid } = resolveMember(entries, text);
    const session = (await this.#read(entries)).find((one) => one.pid === pid);
    if (session) return session;
    throw new CcmError("no_such_member", `${plainLine(text, MAX_NAME)} has ended`, { hint: "GET /sessions lists who is here" });
  }

  /**
   * Where the session is that a text means, as the registry has it now: of two that are called alike since a moment ago none is taken for
   * the other. Throws `no_such_member`, `ambiguous_name` and `undeliverable`.
   */
  addressOf(text: string): string {
    const { record, unreachable } = resolveMember(readRegistry(this.#paths.claudeConfig), text);
    const socketPath = record?.messagingSocketPath;
    if (!unreachable && socketPath !== undefined) return socketAddress(socketPath);
    const detail = unreachable?.detail ?? "its record has no inbox";
    throw new CcmError("undeliverable", `${plainLine(record?.name ?? text, MAX_NAME)} cannot be reached: ${detail}`);
  }

  /** By what files say alone, without a knock at each one's inbox. */
  of(entries: readonly RegistryEntry[]): Session[] {
    return listMembers(entries, this.#context()).map(toSession);
  }

  async #read(entries: readonly RegistryEntry[]): Promise<Session[]> {
    return (await rosterMembers(entries, this.#context())).map(toSession);
  }

  #context(): RosterContext {
    return { machineLabel: this.machine, ownPid: this.#ownPid(), attributesOf: (record) => readSessionAttributes(this.#paths, record) };
  }
}

function toSession(member: RosterMember): Session {
  const { name, address, machine, isRemote, isYou, unreachable, status, cwd, task, mode, offlineSince, pid, sessionId } = member;
  return {
    name: plainLine(name, MAX_NAME),
    ...(address !== undefined && { address }),
    machine: plainLine(machine, MAX_NAME),
    is_remote: isRemote,
    is_self: isYou,
    reachable: unreachable === undefined,
    ...(unreachable !== undefined && { why_unreachable: unreachable }),
    ...(status !== undefined && { status: plainLine(status, MAX_WORD) }),
    ...(cwd !== undefined && { cwd: plainLine(cwd, MAX_DIRECTORY) }),
    ...(task !== undefined && { task }),
    ...(mode !== undefined && { mode: plainLine(mode, MAX_WORD) }),
    ...(offlineSince !== undefined && { offline_since: offlineSince }),
    pid,
    ...(sessionId !== undefined && { session_id: plainLine(sessionId, MAX_NAME) }),
  };
}

function isNamed({ name, address }: Session, pattern: string): boolean {
  return [name, address].some((text) => text !== undefined && matchesPattern(text, pattern));
}
