import type { RegistryEntry, Unreachable } from "../claude/registry.ts";
import type { SessionRecord } from "../claude/session-record.ts";
import { MIRROR_AGENT } from "./local-members.ts";
import type { SessionAttributes } from "./session-attributes.ts";
import { cleanTask } from "./task.ts";

/** A member of the chat as this machine knows it: a session here, or one of another machine by its mirror. */
export interface ChatMember {
  readonly entry: RegistryEntry;
  readonly record: SessionRecord;
  readonly name: string;
  readonly machine: string;
  readonly isRemote: boolean;
  readonly status: string | undefined;
  readonly task: string | undefined;
  readonly permissionClass: string | undefined;
  /** Milliseconds since the epoch: since when its machine cannot be reached. */
  readonly offlineSince: number | undefined;
}

export interface ChatContext {
  readonly machineLabel: string;
  /** For the sessions of this machine. */
  readonly attributesOf: (record: SessionRecord) => SessionAttributes;
}

/** Who is here: sessions of this machine first, then each other machine's. A record that stands for no living session is left out. */
export function chatMembers(entries: readonly RegistryEntry[], context: ChatContext): ChatMember[] {
  const members = entries.flatMap((entry) => (entry.record && isLiving(entry.unreachable) ? [toMember(entry, entry.record, context)] : []));
  return members.sort(byMachineAndName);
}

/** It is listed though it cannot be written to: its process lives, its inbox does not. */
function isLiving(unreachable: Unreachable | undefined): boolean {
  return unreachable === undefined || unreachable.reason.startsWith("socket_");
}

function toMember(entry: RegistryEntry, record: SessionRecord, { machineLabel, attributesOf }: ChatContext): ChatMember {
  const isRemote = record.agent === MIRROR_AGENT;
  const common = { entry, record, name: record.name ?? "", status: record.status, isRemote };
  if (!isRemote) {
    const { task, permissionClass } = attributesOf(record);
    return { ...common, machine: machineLabel, offlineSince: undefined, task, permissionClass };
  }
  const task = textField(record, "ccmTask");
  const offlineSince = record.raw["ccmOfflineSince"];
  return {
    ...common,
    machine: textField(record, "ccmHost") ?? machineLabel,
    task: task === undefined ? undefined : cleanTask(task),
    permissionClass: textField(record, "ccmMode"),
    offlineSince: typeof offlineSince === "number" ? offlineSince : undefined,
  };
}

function textField(record: SessionRecord, field: string): string | undefined {
  const value = record.raw[field];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function byMachineAndName(left: ChatMember, right: ChatMember): number {
  return Number(left.isRemote) - Number(right.isRemote) || left.machine.localeCompare(right.machine) || left.name.localeCompare(right.name);
}
