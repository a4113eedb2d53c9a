import type { Client } from "../claude/admission/self-sent.ts";
import type { ControlFrame } from "../claude/frames.ts";
import type { PeerProgram } from "./peer-program.ts";

/** A frame about who writes the replies to which artifacts. It counts only from a process of the same conversation, as its record says. */
export function takeArtifactFrame(program: PeerProgram, name: string, frame: ControlFrame, client: Client): void {
  const { own, inbox } = program.place(name);
  const { artifacts } = inbox;
  const sender = inbox.senderOf(frame, client);
  const requester = { sessionId: sender?.sessionId, nowMs: program.clock.now() };
  if (frame.action === "artifact_replies_yielded") return takeAnswer(program, frame, artifacts.hold.bind(artifacts));
  if (frame.action === "unyield_artifact_replies") {
    const slugs = [...artifacts.takeBack(frame, requester)];
    if (slugs.length > 0) program.tell({ event: "yielded", request: frame.orig_msg_id ?? "", direction: "back-to-us", slugs });
    return;
  }
  const given = artifacts.yield(frame, requester);
  if (!given || !sender) return;
  own.deliver(sender.identity, given.answer).catch((error: unknown) => program.problem(`${name}: ${String(error)}`));
  if (given.yielded.length > 0) {
    program.tell({ event: "yielded", request: frame.msg_id ?? "", direction: "from-us", slugs: [...given.yielded] });
  }
}

function takeAnswer(
  program: PeerProgram,
  { orig_msg_id: request, ...frame }: ControlFrame,
  hold: (slugs: readonly string[]) => void,
): void {
  const [slugs, notHeld] = [texts(frame["yielded"]), texts(frame["not_held"])];
  hold(slugs);
  program.tell({ event: "yielded", request: request ?? "", direction: "to-us", slugs, notHeld });
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
