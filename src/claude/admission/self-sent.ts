import { readAncestors } from "../process-ancestors.ts";

/** Which token opened the inbox: the one of its key file, or the one that only processes get which its owner started. */
export type Credential = "peer" | "child";

/** Who made a connection, as far as it is known. */
export interface Client {
  readonly credential: Credential;
  /** As the kernel says it; undefined where it does not tell. */
  readonly pid?: number | undefined;
}

/**
 * Whether a message is the receiver's own: its process, or one below it, made the connection; or the connection was opened with the token
 * for children and nothing speaks against that. A process with living ancestors of which none is the receiver speaks against it; one
 * that was orphaned says nothing.
 */
export function isSelfSent({ credential, pid }: Client, ownPids: readonly number[], ancestorsOf = readAncestors): boolean {
  if (pid === undefined) return credential === "child";
  const line = [pid, ...ancestorsOf(pid)];
  if (line.some((one) => ownPids.includes(one))) return true;
  return credential === "child" && line.length === 1;
}
