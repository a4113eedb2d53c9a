import path from "node:path";
import { probeSocket } from "../../claude/probe-socket.ts";
import { type RegistryEntry, readRegistry, type Unreachable, type UnreachableReason, unreachableReasons } from "../../claude/registry.ts";
import { toCcmError } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import { count } from "../output/units.ts";
import { type Finding, ok, trouble } from "./finding.ts";

/** What to do about each kind of record; Claude Code itself sweeps what dead sessions leave. */
const FIXES: Partial<Record<UnreachableReason, string>> = {
  socket_unset: "start that session again with a current Claude Code",
  socket_missing: "start that session again",
  socket_unsafe: "start that session again; look at who put that there",
  socket_refused: "start that session again",
  other_pid_domain: "give each container a CLAUDE_CONFIG_DIR of its own, or pair it",
};
const SWEPT = "nothing to do: harmless, and the next claude sweeps it; or remove the file";

/** Every record of the registry that cannot be written to, each with its own reason; none hides another. */
export async function checkSessions({ claudeConfig }: Paths): Promise<Finding[]> {
  let entries: RegistryEntry[];
  try {
    entries = readRegistry(claudeConfig);
  } catch (error) {
    return [
      trouble("fail", "registry", `cannot read ${path.join(claudeConfig, "sessions")}: ${toCcmError(error).message}`, {
        fix: "check its owner and its mode",
      }),
    ];
  }
  const faults = await Promise.all(entries.map(findFault));
  const troubles = entries.flatMap((entry, index) => describeFault(entry, faults[index]));
  const reachable = entries.length - troubles.length;
  return [ok("registry", `${count(reachable, "session")} can be reached`), ...troubles];
}

async function findFault({ record, unreachable }: RegistryEntry): Promise<Unreachable | undefined> {
  const socketPath = record?.messagingSocketPath;
  if (unreachable || socketPath === undefined || (await probeSocket(socketPath))) return unreachable;
  return { reason: "socket_refused", detail: socketPath };
}

function describeFault({ file, record }: RegistryEntry, fault: Unreachable | undefined): Finding[] {
  if (!fault) return [];
  const subject = record?.name || path.basename(file);
  const detail = `${unreachableReasons[fault.reason]} (${fault.detail})`;
  return [trouble("warn", "session", detail, { subject, fix: FIXES[fault.reason] ?? SWEPT })];
}
