import { type Frame, socketPathOf, userFrame } from "../claude/frames.ts";
import { toJson } from "../core/json.ts";
import { plainLine } from "../core/plain-text.ts";
import type { LocalMembers } from "../members/local-members.ts";
import type { Member } from "../members/member.ts";
import type { UnreadMessage } from "../mirror/mirror-protocol.ts";
import type { Exchange } from "./exchange.ts";
import { carryPlain, type FilesOut } from "./files-out.ts";
import type { Lanes } from "./lanes.ts";
import type { MessageState } from "./message-state.ts";
import type { Mirrors } from "./mirrors.ts";
import type { Outcome } from "./outbox.ts";
import type { FrameSender } from "./protocol.ts";
import { tellSender } from "./tell-sender.ts";

export interface RelayOutContext {
  readonly localMembers: LocalMembers;
  readonly mirrors: Mirrors;
  readonly exchange: Exchange;
  readonly files: FilesOut;
  readonly lanes: Lanes;
  readonly onState: (frame: Frame, state: MessageState, reason?: string) => void;
  readonly onProblem: (message: string) => void;
}

/** A local session wrote `frame` to the mirror of `memberId`: sends it on, and tells the session if it does not get there. */
export async function relayFromMirror(memberId: string, frame: Frame, context: RelayOutContext): Promise<void> {
  await tellWhatBecame(memberId, frame, context, (sender) => relay({ member: sender.id }, memberId, frame, context));
}

/** The mirror of `memberId` had read a message and was killed before it had handed it on: its sender is told. */
export async function tellOfLost(memberId: string, { from, messageId }: UnreadMessage, context: RelayOutContext): Promise<void> {
  const frame = userFrame({ from, content: "", messageId });
  const outcome: Outcome = { state: "undeliverable", reason: "the process that took it here was killed" };
  await tellWhatBecame(memberId, frame, context, async () => {
    context.onState(frame, outcome.state, outcome.reason);
    return outcome;
  });
}

async function tellWhatBecame(
  memberId: string,
  frame: Frame,
  context: RelayOutContext,
  outcomeOf: (sender: Member) => Promise<Outcome>,
): Promise<void> {
  const sender = findSender(frame, context.localMembers);
  if (!sender) {
    context.onProblem(
      `a message to ${context.mirrors.name(memberId)} was refused: its sender ${plainLine(frame.from ?? "without an address")} is no session of this machine`,
    );
    return;
  }
  await context.mirrors.keepDuring(memberId, async () => {
    const outcome = await outcomeOf(sender);
    if (outcome.state === "written") return;
    const target = context.localMembers.target(sender.id);
    if (!target) return;
    await tellSender({ frame, outcome, sender: target, memberId, mirrors: context.mirrors }).catch((error: unknown) =>
      context.onProblem(`the sender of ${frame.msg_id} could not be told that it was not delivered: ${plainLine(String(error))}`),
    );
  });
}

/**
 * Sends a frame to a member of the other machine; settles with what became of it, never rejects. Its files go before it, and what the
 * same sender writes to the same member meanwhile goes after it.
 */
export async function relay(from: FrameSender, memberId: string, frame: Frame, context: RelayOutContext): Promise<Outcome> {
  context.onState(frame, "queued");
  let carried = carryPlain(frame);
  const carry = async () => {
    carried = await context.files.carry(frame);
  };
  const outcome = await context.lanes.run<Outcome>(`${"member" in from ? from.member : ""} ${memberId}`, {
    prepare: frame["file_attachments"] === undefined ? undefined : carry,
    bytes: () => toJson(frame)?.length ?? 0,
    go: () => context.exchange.send({ from, to: memberId, frame: carried.frame }, () => context.onState(frame, "sent")),
    full: () => ({ state: "undeliverable", reason: "too much is waiting for that machine already" }),
  });
  carried.settled(outcome);
  context.onState(frame, outcome.state, outcome.reason);
  return outcome;
}

function findSender(frame: Frame, members: LocalMembers): Member | undefined {
  const socketPath = frame.from === undefined ? undefined : socketPathOf(frame.from);
  if (socketPath === undefined) return undefined;
  const known = members.bySocket(socketPath);
  if (known) return known;
  members.refresh();
  return members.bySocket(socketPath);
}
