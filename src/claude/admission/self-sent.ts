import { readAncestors } from "../process-ancestors.ts";

/** Which token opened the inbox: the one of its key file, or the one that only processes get which its owner started. */
export type Credential = "peer" | "child";

/** Who made a connection, as far as it is known. */
export interface Client {
  readonly credential: Credential;
  /** As the kernel says it; undefined where it does not tell. */
  readonly pid?: number | undefined;
}

export interface Lineage {
  /** The receiver's processes: the one that listens, and those behind it. */
  readonly ownPids: readonly number[];
  /** Whether that process is a session of its own. */
  readonly isSession: (pid: number) => boolean;
  readonly ancestorsOf?: (pid: number) => readonly number[];
}

/**
 * Whether a message is the receiver's own: its process, or one below it, made the connection; or the connection was opened with the token
 * for children and nothing speaks against that, as it does when another session made it.
 */
export function isSelfSent({ credential, pid }: Client, { ownPids, isSession, ancestorsOf = readAncestors }: Lineage): boolean {
  if (pid === undefined) return credential === "child";
  if ([pid, ...ancestorsOf(pid)].some((one) => ownPids.includes(one))) return true;
  return credential === "child" && !isSession(pid);
}
