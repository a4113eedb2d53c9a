import { probeSocket } from "../claude/probe-socket.ts";
import { type RegistryEntry, readRegistry, unreachableReasons } from "../claude/registry.ts";
import type { SessionRecord } from "../claude/session-record.ts";
import { readLightConfig } from "../core/light-config.ts";
import type { Paths } from "../core/paths.ts";
import { type ChatMember, chatMembers } from "./chat-members.ts";
import { memberAddress } from "./member-address.ts";
import { findOwnSession } from "./own-session.ts";
import { declaredClass } from "./permission-snapshot.ts";
import { readSessionAttributes, type SessionAttributes } from "./session-attributes.ts";
import { willHold } from "./will-hold.ts";

/** A member of the chat as `ccm roster` shows it and as its `--json` prints it. */
export interface RosterMember {
  readonly name: string;
  /** What `ccm send` takes for it; undefined where nothing does. */
  readonly address: string | undefined;
  readonly machine: string;
  readonly isRemote: boolean;
  readonly isYou: boolean;
  readonly status: string | undefined;
  readonly cwd: string | undefined;
  readonly task: string | undefined;
  /** `bypass` or `prompting`, where its hooks have said it. */
  readonly mode: string | undefined;
  /** Its person would be asked before it takes a message from here. */
  readonly holds: boolean;
  /** ISO 8601: since when its machine cannot be reached. */
  readonly offlineSince: string | undefined;
  readonly pid: number;
  readonly sessionId: string | undefined;
  /** Why it cannot be written to, if it cannot. */
  readonly unreachable: string | undefined;
}

export interface RosterContext {
  readonly machineLabel: string;
  readonly ownPid: number | undefined;
  readonly ownClass?: string | undefined;
  readonly attributesOf?: (record: SessionRecord) => SessionAttributes;
}

/** What a command that runs once, perhaps inside a session, needs for the list. */
export function rosterContext(paths: Paths, entries: readonly RegistryEntry[] = readRegistry(paths.claudeConfig)): RosterContext {
  const own = findOwnSession(entries);
  return {
    machineLabel: readLightConfig(paths).label,
    ownPid: own?.pid,
    ownClass: own?.record && declaredClass(paths.permissionsDirectory, own.record),
    attributesOf: (record) => readSessionAttributes(paths, record),
  };
}

/** Who is here, and whom of these a message can be written to now. What stands for no living session is left to `ccm doctor`. */
export async function rosterMembers(entries: readonly RegistryEntry[], context: RosterContext): Promise<RosterMember[]> {
  return listMembers(await Promise.all(entries.map(probeEntry)), context);
}

/** As {@link rosterMembers}, by what files say alone: for whoever writes to them at once and so finds out who listens. */
export function listMembers(probed: readonly RegistryEntry[], context: RosterContext): RosterMember[] {
  const { machineLabel, attributesOf = () => ({}) } = context;
  return chatMembers(probed, { machineLabel, attributesOf }).map((member) => toRosterMember(member, probed, context));
}

async function probeEntry(entry: RegistryEntry): Promise<RegistryEntry> {
  const socketPath = entry.record?.messagingSocketPath;
  if (entry.unreachable || socketPath === undefined || (await probeSocket(socketPath))) return entry;
  return { ...entry, unreachable: { reason: "socket_refused", detail: socketPath } };
}

function toRosterMember(member: ChatMember, entries: readonly RegistryEntry[], { ownPid, ownClass }: RosterContext): RosterMember {
  const { entry, record, name, machine, isRemote, status, task, permissionClass, offlineSince } = member;
  const isYou = entry.pid === ownPid;
  return {
    name,
    address: entry.unreachable ? undefined : memberAddress(entry, entries),
    machine,
    isRemote,
    isYou,
    status,
    cwd: record.cwd,
    task,
    mode: permissionClass,
    holds: !isYou && willHold(ownClass, permissionClass) === true,
    offlineSince: offlineSince === undefined ? undefined : new Date(offlineSince).toISOString(),
    pid: entry.pid,
    sessionId: record.sessionId,
    unreachable: entry.unreachable && unreachableReasons[entry.unreachable.reason],
  };
}
