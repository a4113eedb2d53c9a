import { probeSocket } from "../../claude/probe-socket.ts";
import { type RegistryEntry, type Unreachable, unreachableReasons } from "../../claude/registry.ts";
import type { SessionRecord } from "../../claude/session-record.ts";
import { MIRROR_AGENT } from "../../members/local-members.ts";
import { memberAddress } from "./member-address.ts";

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
  readonly pid: number;
  readonly sessionId: string | undefined;
  /** Why it cannot be written to, if it cannot. */
  readonly unreachable: string | undefined;
}

export interface RosterContext {
  readonly machineLabel: string;
  readonly ownPid: number | undefined;
}

/** Who is here: sessions of this machine first, then each other machine's. What stands for no living session is left to `ccm doctor`. */
export async function rosterMembers(entries: readonly RegistryEntry[], context: RosterContext): Promise<RosterMember[]> {
  const probed = await Promise.all(entries.map(probeEntry));
  const members = probed.flatMap((entry) =>
    entry.record && isLiving(entry.unreachable) ? [toMember(entry, entry.record, probed, context)] : [],
  );
  return members.sort(byMachineAndName);
}

async function probeEntry(entry: RegistryEntry): Promise<RegistryEntry> {
  const socketPath = entry.record?.messagingSocketPath;
  if (entry.unreachable || socketPath === undefined || (await probeSocket(socketPath))) return entry;
  return { ...entry, unreachable: { reason: "socket_refused", detail: socketPath } };
}

function isLiving(unreachable: Unreachable | undefined): boolean {
  return unreachable === undefined || unreachable.reason.startsWith("socket_");
}

function toMember(entry: RegistryEntry, record: SessionRecord, entries: readonly RegistryEntry[], context: RosterContext): RosterMember {
  const isRemote = record.agent === MIRROR_AGENT;
  return {
    name: record.name ?? "",
    address: entry.unreachable ? undefined : memberAddress(entry, entries),
    machine: (isRemote ? textField(record, "ccmHost") : undefined) ?? context.machineLabel,
    isRemote,
    isYou: entry.pid === context.ownPid,
    status: record.status,
    cwd: record.cwd,
    task: textField(record, "ccmTask"),
    pid: entry.pid,
    sessionId: record.sessionId,
    unreachable: entry.unreachable && unreachableReasons[entry.unreachable.reason],
  };
}

function textField(record: SessionRecord, field: string): string | undefined {
  const value = record.raw[field];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function byMachineAndName(left: RosterMember, right: RosterMember): number {
  return Number(left.isRemote) - Number(right.isRemote) || left.machine.localeCompare(right.machine) || left.name.localeCompare(right.name);
}
