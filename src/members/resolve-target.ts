import { parseAddress, requireSocket } from "../claude/address.ts";
import type { RegistryEntry } from "../claude/registry.ts";
import { sessionReference } from "../claude/session-reference.ts";
import { CcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";

const MAX_CANDIDATES = 8;
const SHOWN_CHARACTERS = 80;

type Named = RegistryEntry & { readonly record: NonNullable<RegistryEntry["record"]> };

/**
 * Whom a person means: a session id, an address (`uds:…`, a bare socket, `bridge:…`), a `name [ref]` as ListAgents prints it, or a name. One that can be reached goes
 * before one that cannot; an unreachable one alone is returned, for the caller to say why. Throws `no_such_member` with near
 * names, `ambiguous_name` with an address for each candidate that works, and `undeliverable` for an address that leads nowhere from here.
 */
export function resolveMember(entries: readonly RegistryEntry[], text: string): RegistryEntry {
  const named = entries.filter((entry): entry is Named => entry.record !== undefined);
  for (const means of [isSession, isAddress, isReference, isName]) {
    const found = named.filter((entry) => means(entry, text));
    const reachable = found.filter((entry) => !entry.unreachable);
    const [only] = reachable.length > 0 ? reachable : found;
    if (reachable.length > 1) throw ambiguous(reachable, text);
    if (only) return only;
  }
  const address = parseAddress(text);
  if (address) requireSocket(address);
  throw renamed(named, text) ?? unknown(named, text);
}

/** An address of that session that is never ambiguous: `name [ref]`, or its socket where it has no usable name. */
function addressOf({ record }: Named): string {
  const { name, messagingSocketPath: socketPath, pid } = record;
  if (socketPath === undefined) return record.sessionId ?? String(pid);
  return name && name === plainLine(name, SHOWN_CHARACTERS) ? `${name} [${sessionReference(socketPath)}]` : `uds:${socketPath}`;
}

function isSession({ record }: Named, text: string): boolean {
  return record.sessionId === text;
}

function isAddress({ record }: Named, text: string): boolean {
  const address = parseAddress(text);
  if (address?.kind === "bridge") return record.bridgeSessionId === address.id;
  return address?.kind === "socket" && record.messagingSocketPath === address.socketPath;
}

function isReference({ record }: Named, text: string): boolean {
  const [, name, reference] = /^(.*) \[([0-9a-f]{6})\]$/s.exec(text) ?? [];
  const socketPath = record.messagingSocketPath;
  return reference !== undefined && record.name === name && socketPath !== undefined && sessionReference(socketPath) === reference;
}

function isName({ record }: Named, text: string): boolean {
  return record.name !== undefined && record.name !== "" && (record.name === text || plainLine(record.name, SHOWN_CHARACTERS) === text);
}

function ambiguous(found: readonly Named[], text: string): CcmError {
  return new CcmError("ambiguous_name", `${found.length} sessions are called ${plainLine(text, SHOWN_CHARACTERS)}`, {
    hint: `say which: ${list(found.map((entry) => `"${addressOf(entry)}"`))}`,
  });
}

/** Nobody is called so any more. */
function renamed(named: readonly Named[], text: string): CcmError | undefined {
  const found = named.find((entry) => !entry.unreachable && formerNames(entry).includes(text));
  if (!found) return undefined;
  return new CcmError(
    "no_such_member",
    `${plainLine(text, SHOWN_CHARACTERS)} was renamed to ${plainLine(found.record.name ?? "", SHOWN_CHARACTERS)}`,
    {
      hint: `write to "${addressOf(found)}"`,
    },
  );
}

function formerNames({ record }: Named): unknown[] {
  const former = record.raw["formerNames"];
  return Array.isArray(former)
    ? former.map((entry: unknown) => (typeof entry === "object" && entry !== null && "name" in entry ? entry.name : undefined))
    : [];
}

function unknown(named: readonly Named[], text: string): CcmError {
  const names = named.filter((entry) => !entry.unreachable).flatMap(({ record }) => record.name ?? []);
  const near = nearNames(text, names);
  const hint =
    names.length === 0
      ? "no session is running here, and none of another machine is listed"
      : `${near.length > 0 ? "near" : "there are"}: ${list(near.length > 0 ? near : names)}`;
  return new CcmError("no_such_member", `nobody here is called ${plainLine(text, SHOWN_CHARACTERS)}`, { hint });
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, MAX_CANDIDATES).map((name) => plainLine(name, SHOWN_CHARACTERS));
  const left = names.length - shown.length;
  return `${shown.join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}

/** Names that hold what was typed, are held by it, or share most of its pairs of letters; the most alike first. */
function nearNames(text: string, names: readonly string[]): string[] {
  const typed = text.toLowerCase();
  const scored = names.map((name) => ({ name, likeness: likeness(typed, name.toLowerCase()) }));
  return scored
    .filter(({ likeness }) => likeness >= 0.4)
    .sort((left, right) => right.likeness - left.likeness)
    .map(({ name }) => name);
}

/** Between 0 and 1: the Dice coefficient of the letter pairs; 0.9 where one text holds the other. */
function likeness(left: string, right: string): number {
  if (left !== "" && right !== "" && (left.includes(right) || right.includes(left))) return 0.9;
  const [leftPairs, rightPairs] = [pairs(left), pairs(right)];
  const shared = [...leftPairs].filter((pair) => rightPairs.has(pair)).length;
  return leftPairs.size + rightPairs.size === 0 ? 0 : (2 * shared) / (leftPairs.size + rightPairs.size);
}

function pairs(text: string): Set<string> {
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2)));
}
