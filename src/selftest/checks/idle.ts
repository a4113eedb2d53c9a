import { type Frame, type IdleNoticeFrame, isIdleNotice } from "../../claude/frames.ts";
import { randomUuid } from "../../core/random.ts";
import type { Check } from "../check.ts";
import type { ClaudeSession } from "../claude-session.ts";
import { HOLD_ORDER } from "../model-turn.ts";
import type { OurPeer } from "../our-peer.ts";
import { mustEqual, mustHold } from "../outcome.ts";

/** Asks a session to say when it is idle, and returns the id under which it answers. */
export async function subscribe(peer: OurPeer, session: ClaudeSession): Promise<string> {
  const msg_id = randomUuid();
  await peer.deliver(session.target, {
    type: "control",
    action: "notify_when_idle",
    from: peer.address,
    from_mode: "prompting",
    msgV: 1,
    msg_id,
  });
  return msg_id;
}

export function waitNotice(peer: OurPeer, subscription: string): Promise<IdleNoticeFrame> {
  const isIt = (frame: Frame): frame is IdleNoticeFrame => isIdleNotice(frame) && frame.orig_msg_id === subscription;
  return peer.waitFrame("peer_idle_notice", isIt);
}

export const idleChecks: readonly Check[] = [
  {
    name: "idle.notice",
    lane: "passing",
    relies: "notify_when_idle to a session that is idle is answered at once: state idle, finished_at, orig_msg_id, from",
    async run({ passing, friend }) {
      await friend.send(passing.target, "something to finish", { fromMode: "prompting" });
      await passing.waitHeard("something to finish");
      const notice = await waitNotice(friend, await subscribe(friend, passing));
      mustEqual([notice.state, notice.from], ["idle", `uds:${passing.target.socketPath}`], "state and from");
      mustHold(Math.abs(Date.now() - (notice.finished_at ?? 0)) < 60_000, `finished_at is ${notice.finished_at}`);
      return notice.detail === undefined ? "without detail" : undefined;
    },
  },
  {
    name: "idle.waits",
    lane: "passing",
    relies: "to a session in a turn it is answered when the turn is over; its record says busy, then idle",
    async run({ passing, friend, model }) {
      await friend.send(passing.target, `${HOLD_ORDER} for a while`, { fromMode: "prompting" });
      await passing.waitHeard("for a while");
      const subscription = await subscribe(friend, passing);
      mustEqual(passing.record.status, "busy", "the status in a turn");
      mustHold(!friend.frames.some((frame) => frame["orig_msg_id"] === subscription), "it was answered in the turn");
      model.release(passing.name);
      await waitNotice(friend, subscription);
      mustEqual(passing.record.status, "idle", "the status after it");
    },
  },
];
