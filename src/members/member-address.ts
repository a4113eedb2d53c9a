import { socketAddress } from "../claude/frames.ts";
import type { RegistryEntry } from "../claude/registry.ts";
import { sessionReference } from "../claude/session-reference.ts";
import { plainLine } from "../core/plain-text.ts";
import { resolveMember } from "./resolve-target.ts";

/** Nobody types more; a name has 80 at most where Claude Code itself uses it. */
const MAX_TYPED_CHARACTERS = 80;

/** The shortest text that `ccm send` takes for this member and for no other, found by asking what `ccm send` asks. */
export function memberAddress(entry: RegistryEntry, entries: readonly RegistryEntry[]): string | undefined {
  const { name, sessionId, messagingSocketPath: socketPath } = entry.record ?? {};
  const named =
    name === undefined ? [] : [name, plainLine(name), ...(socketPath === undefined ? [] : [`${name} [${sessionReference(socketPath)}]`])];
  const candidates = [
    ...named,
    ...(sessionId === undefined ? [] : [sessionId]),
    ...(socketPath === undefined ? [] : [socketAddress(socketPath)]),
  ];
  return candidates.find((candidate) => isTypable(candidate) && leadsTo(entry, candidate, entries));
}

/** What a terminal shows is what gets typed, so a text that is shown otherwise than it is will not do; nor one that reads as an option. */
function isTypable(text: string): boolean {
  return text !== "" && !text.startsWith("-") && text === plainLine(text, MAX_TYPED_CHARACTERS);
}

function leadsTo(entry: RegistryEntry, text: string, entries: readonly RegistryEntry[]): boolean {
  try {
    return resolveMember(entries, text).pid === entry.pid;
  } catch {
    return false;
  }
}

/** A word as a shell takes it, quoted only where it has to be. */
export function shellWord(text: string): string {
  const isPlain = /^[\p{L}\p{N}_@%+:,./][\p{L}\p{N}_@%+:,./=-]*$/u.test(text);
  return isPlain ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
