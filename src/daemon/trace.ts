import { messageLines, type TrailLine } from "../audit/read-trail.ts";
import { CcmError, toCcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import type { Peer } from "../link/peer.ts";
import type { MachineTrace } from "./control-protocol.ts";

/** A machine's trail is 120 MB at most; looking through it takes seconds on a slow disk. */
const ANSWER_MS = 8_000;
const MAX_LINES = 500;

/** What the trail of this machine has about the messages whose id begins like this. */
export async function ownTrace(auditFile: string, idPrefix: unknown): Promise<TrailLine[]> {
  if (typeof idPrefix !== "string" || !/^[0-9A-Za-z-]{4,100}$/.test(idPrefix)) {
    throw new CcmError("usage", "a message id, or 4 characters or more of its beginning, is needed");
  }
  return (await messageLines(auditFile, idPrefix)).slice(-MAX_LINES);
}

/** The same from here and from every linked machine; one that does not answer says so. */
export async function traceEverywhere(
  own: { label: string; auditFile: string },
  peers: readonly Peer[],
  idPrefix: string,
): Promise<MachineTrace[]> {
  const here = { machine: own.label, lines: await ownTrace(own.auditFile, idPrefix) };
  const there = peers.map(async (peer): Promise<MachineTrace> => {
    try {
      const lines = await peer.ask({ kind: "trace", messageId: idPrefix }, ANSWER_MS);
      return { machine: peer.label, lines: Array.isArray(lines) ? (lines.slice(-MAX_LINES) as TrailLine[]) : [] };
    } catch (error) {
      return { machine: peer.label, lines: [], problem: plainLine(toCcmError(error).message) };
    }
  });
  return [here, ...(await Promise.all(there))];
}
