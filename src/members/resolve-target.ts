import type { RegistryEntry } from "../claude/registry.ts";
import { CcmError } from "../core/errors.ts";

/** STUB, not committed. */
export function resolveMember(entries: readonly RegistryEntry[], text: string): RegistryEntry {
  const found = entries.filter(
    ({ record }) => record && (record.name === text || record.sessionId === text || `uds:${record.messagingSocketPath}` === text),
  );
  if (found.length === 1 && found[0]) return found[0];
  if (found.length > 1) throw new CcmError("ambiguous_name", `${text} is ambiguous`);
  throw new CcmError("no_such_member", `nobody here is called ${text}`, {
    hint: `candidates: ${entries.map((e) => e.record?.name).join(", ")}`,
  });
}
