import type { RegistryEntry } from "../claude/registry.ts";
import { MIRROR_AGENT } from "./local-members.ts";

/** Whether two entries, perhaps of different moments, stand for one session: a mirror that died is replaced by another process. */
export function isSameMember(left: RegistryEntry, right: RegistryEntry): boolean {
  if (left.record === undefined || right.record === undefined) return false;
  if (left.pid === right.pid && left.record.procStart === right.record.procStart) return true;
  if (left.record.agent !== MIRROR_AGENT || right.record.agent !== MIRROR_AGENT) return false;
  return ["ccmHost", "ccmRemotePid"].every((field) => {
    const value = left.record?.raw[field];
    return value !== undefined && value === right.record?.raw[field];
  });
}
