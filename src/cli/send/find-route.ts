import { type RegistryEntry, readRegistry } from "../../claude/registry.ts";
import { CcmError } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import { plainLine } from "../../core/plain-text.ts";
import { findOwnSession } from "../../members/own-session.ts";
import { resolveMember } from "../../members/resolve-target.ts";

/** From whom to whom. */
export interface Route {
  readonly target: RegistryEntry;
  /** Its name in the registry, else what was typed. */
  readonly targetName: string;
  /** The session that this runs in, if it does. */
  readonly ownSession: RegistryEntry | undefined;
}

/** Whom `name` means, seen from here. Throws what resolveMember does, `undeliverable` and `message_to_self`. */
export function findRoute(name: string, paths: Paths): Route {
  const entries = readRegistry(paths.claudeConfig);
  const target = requireReachable(resolveMember(entries, name), name);
  const ownSession = findOwnSession(entries);
  if (ownSession?.pid === target.pid) {
    throw new CcmError("message_to_self", `${plainLine(name)} is this session itself`, { hint: "ccm roster marks your own session" });
  }
  return { target, targetName: target.record?.name ?? name, ownSession };
}

function requireReachable(entry: RegistryEntry, name: string): RegistryEntry {
  if (entry.unreachable === undefined) return entry;
  throw new CcmError("undeliverable", `${plainLine(name)} cannot be reached: ${entry.unreachable.detail}`, {
    hint: "ccm doctor tells more",
  });
}

/** The label of another machine that it is on. */
export function machineOf(entry: RegistryEntry): string | undefined {
  const machine = entry.record?.raw["ccmHost"];
  return typeof machine === "string" ? machine : undefined;
}
