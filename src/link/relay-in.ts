import { deliver } from "../claude/deliver.ts";
import type { Frame } from "../claude/frames.ts";
import { readPeerToken } from "../claude/key-file.ts";
import { toCcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import type { LocalMembers, LocalTarget } from "../members/local-members.ts";
import type { Mirrors } from "./mirrors.ts";
import type { Outcome } from "./outbox.ts";
import type { FrameOp, OutcomeState } from "./protocol.ts";
import { type Attestation, rewriteFrame } from "./rewrite-frame.ts";

export interface RelayInContext {
  readonly claudeConfig: string;
  readonly localMembers: LocalMembers;
  readonly mirrors: Mirrors;
  /** What the other machine is called here. */
  readonly label: string;
  readonly attestation: Attestation;
}

/**
 * Writes a frame from the other machine into the inbox of its target, through the mirror of its sender. Only published members
 * are reached, and only a member of that machine, or a person there, is a sender. Settles with what became of it, never rejects.
 * Frames of one sender to one target are written in the order of the calls.
 */
export async function relayIn(op: FrameOp, context: RelayInContext): Promise<Outcome> {
  const target = findTarget(op.to, context.localMembers);
  if (!target) return { state: "undeliverable", reason: "that session is no longer there" };
  try {
    if ("person" in op.from) await deliverForPerson(op.frame, op.from.person, target, context);
    else {
      const delivery = context.mirrors.deliver(op.from.member, target, (sender) => rewriteFrame(op.frame, sender, context.attestation));
      if (delivery) await delivery;
      // It stopped waiting before the link was back.
      else if (op.from.orPerson !== undefined) await deliverForPerson(op.frame, op.from.orPerson, target, context);
      else return { state: "refused", reason: "its sender is not a session of that machine" };
    }
    return { state: "written" };
  } catch (error) {
    const { code, message } = toCcmError(error);
    return { state: outcomeState(code), reason: plainLine(message) };
  }
}

/** A session that ended is still in the list for a moment; one that just began is not yet. */
function findTarget(id: string, members: LocalMembers): LocalTarget | undefined {
  const known = members.target(id);
  if (known) return known;
  members.refresh();
  return members.target(id);
}

/**
 * A person at a shell over there has no inbox: the address says who it was and takes no answer. The label in it is ours, so
 * nobody can appear to write from another machine.
 */
async function deliverForPerson(frame: Frame, person: string, target: LocalTarget, context: RelayInContext): Promise<void> {
  const address = `ccm:${context.label}`;
  const rewritten = rewriteFrame(frame, { address, name: `${plainLine(person, 40)}@${context.label}` }, context.attestation);
  const token = readPeerToken(context.claudeConfig, target.pid, target.socketPath);
  await deliver({ socketPath: target.socketPath, token, frame: rewritten });
}

function outcomeState(code: string): OutcomeState {
  if (code === "too_large" || code === "unconfirmed" || code === "refused") return code;
  return "undeliverable";
}
