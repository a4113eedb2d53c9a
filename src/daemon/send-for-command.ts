import type { Frame } from "../claude/frames.ts";
import { socketPathOf } from "../claude/frames.ts";
import type { Clock } from "../core/clock.ts";
import { CcmError, type ErrorCode } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import type { Outcome } from "../link/outbox.ts";
import type { Peer } from "../link/peer.ts";
import type { FrameSender, OutcomeState } from "../link/protocol.ts";
import type { LocalMembers } from "../members/local-members.ts";
import type { Member } from "../members/member.ts";
import type { SendRequest } from "./control-protocol.ts";

const errorCodes: Record<Exclude<OutcomeState, "written">, ErrorCode> = {
  undeliverable: "undeliverable",
  refused: "refused",
  too_large: "too_large",
  unconfirmed: "unconfirmed",
};

/**
 * Sends what `ccm send` has for a remote session and tells what became of it, which a write to the mirror could not. Throws the
 * outcome that is a failure; `queued` where none is known within `waitMs` (the link is down, or the other side is slow).
 */
export async function sendForCommand(
  request: SendRequest,
  peers: readonly Peer[],
  localMembers: LocalMembers,
  clock: Clock,
): Promise<"written" | "queued"> {
  for (const peer of peers) {
    const member = peer.memberByMirrorPid(request.mirrorPid);
    if (!member) continue;
    const frame = request.frame as Frame;
    const outcome = await before(clock, request.waitMs, peer.send(senderOf(frame, request, localMembers), member.id, frame));
    if (outcome === undefined) return "queued";
    if (outcome.state === "written") return "written";
    throw new CcmError(errorCodes[outcome.state], `${plainLine(member.name)} on ${peer.label}: ${outcome.reason ?? outcome.state}`);
  }
  throw new CcmError("undeliverable", "that session is no longer there", { hint: "see who is: ccm roster" });
}

/** A session speaks for itself; whoever has no inbox is a person at a shell. */
function senderOf(frame: Frame, request: SendRequest, localMembers: LocalMembers): FrameSender {
  const socketPath = frame.from === undefined ? undefined : socketPathOf(frame.from);
  const member = socketPath === undefined ? undefined : findMember(socketPath, localMembers);
  if (!member) return { person: request.person };
  return { member: member.id, ...(request.isFromShell === true && { orPerson: request.person }) };
}

/** `ccm ask` is a member from the moment before it sends. */
function findMember(socketPath: string, localMembers: LocalMembers): Member | undefined {
  const known = localMembers.bySocket(socketPath);
  if (known) return known;
  localMembers.refresh();
  return localMembers.bySocket(socketPath);
}

async function before(clock: Clock, waitMs: number, outcome: Promise<Outcome>): Promise<Outcome | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const cancel = clock.after(waitMs, () => resolve(undefined));
  return Promise.race([outcome, late]).finally(cancel);
}
