import { currentPidDomain, hasProcStart, isSamePidDomain } from "../claude/process-identity.ts";

/** One process and no other: what is said of it must not pass to whoever gets its id later, or has that id in another container. */
export interface ProcessBinding {
  readonly pid: number;
  readonly procStart: string;
  readonly pidDomain: string;
}

export function isSameProcess(left: Partial<ProcessBinding>, right: Partial<ProcessBinding>): boolean {
  if (left.pid === undefined || left.pid !== right.pid) return false;
  if (left.procStart === undefined || left.procStart !== right.procStart) return false;
  return left.pidDomain !== undefined && right.pidDomain !== undefined && isSamePidDomain(left.pidDomain, right.pidDomain);
}

/** Whether that process still runs; undefined for one of another pid domain, of which nothing can be told here. */
export function isRunning({ pid, procStart, pidDomain }: ProcessBinding): boolean | undefined {
  return isSamePidDomain(pidDomain, currentPidDomain()) ? hasProcStart(pid, procStart) : undefined;
}

/** The fields of a binding in a JSON object from a file, or undefined where one is missing. */
export function parseBinding(value: Readonly<Record<string, unknown>>): ProcessBinding | undefined {
  const { pid, procStart, pidDomain } = value;
  if (!Number.isSafeInteger(pid) || typeof procStart !== "string" || typeof pidDomain !== "string") return undefined;
  return { pid: pid as number, procStart, pidDomain };
}
