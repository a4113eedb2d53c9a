import { removePeerFiles } from "../claude/peer-files.ts";
import type { RegistryEntry } from "../claude/registry.ts";
import { PEER_AGENT } from "./own-name.ts";

/**
 * Clears away what peers left that were killed together with the processes of their names. Nobody takes them for somebody in the meantime:
 * who reads the registry looks whether the process is there.
 */
export function sweepDeadPeers(claudeConfig: string, entries: readonly RegistryEntry[]): void {
  for (const { pid, record, unreachable } of entries) {
    if (record?.agent !== PEER_AGENT || unreachable?.reason !== "process_gone") continue;
    const { procStart, messagingSocketPath: socketPath } = record;
    if (procStart !== undefined && socketPath !== undefined) removePeerFiles(claudeConfig, { pid, procStart, socketPath });
  }
}
