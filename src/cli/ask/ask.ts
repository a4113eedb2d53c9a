import { messageText } from "../../claude/envelope.ts";
import { socketAddress, type UserFrame } from "../../claude/frames.ts";
import { type RegistryEntry, readRegistry } from "../../claude/registry.ts";
import { CcmError } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import { plainLine } from "../../core/plain-text.ts";
import { randomUuid } from "../../core/random.ts";
import { MessageStates, type TimedState } from "../../link/message-states.ts";
import { isSameMember } from "../../members/same-member.ts";
import { describeState, isFailure, outcomes } from "../message/outcomes.ts";
import { sendFollowed } from "../message/send-followed.ts";
import { openShellPeer } from "../message/shell-peer.ts";
import { noteSent } from "../send/audit-send.ts";
import { findRoute, machineOf, type Route } from "../send/find-route.ts";
import { composeMessage, senderOf } from "../send/sender.ts";

export interface Question {
  readonly name: string;
  readonly text: string;
  readonly timeoutMs: number;
  readonly paths: Paths;
  readonly environment: NodeJS.ProcessEnv;
  readonly onState: (state: TimedState, targetName: string) => void;
}

export interface Answer {
  readonly name: string;
  readonly machine?: string;
  readonly messageId: string;
  readonly answer: string;
  readonly states: readonly TimedState[];
}

/** How often it is looked whether the session is still there. */
const LOOK_MS = 1_000;
/** A mirror that died is replaced sooner. */
const GONE_AFTER_MS = 3_000;

/**
 * Writes to a session and waits for what it writes back. Meanwhile this is a peer of its own, so the answer is a plain message to it.
 * Rejects with what became of the message if it did not get there, with `undeliverable` if the session ends, and with `timeout`.
 */
export async function ask({ name, text, timeoutMs, paths, environment, onState }: Question): Promise<Answer> {
  const route = findRoute(name, paths);
  const { target, targetName, ownSession } = route;
  const { person, fromMode } = senderOf(ownSession, paths);
  const messageId = randomUuid();
  const states = new MessageStates({ onState: (state) => onState(state, targetName) });
  const over = new AbortController();
  let answer: UserFrame | undefined;
  const onMessage = (frame: UserFrame) => {
    if (answer === undefined && isFrom(target, frame, paths)) answer = frame;
    states.wake();
  };
  const peer = await openShellPeer({ paths, environment, person: ownSession?.record?.name ?? person, messageId, states, onMessage });
  try {
    const sender = { person, from: peer.address, fromName: peer.name, ...(fromMode !== undefined && { fromMode }) };
    const { frame } = composeMessage(sender, text, messageId);
    noteSent(paths, { messageId, sender: peer.name, to: targetName, body: text }, "sent");
    sendFollowed({ target, frame, person, peer, paths, states, timeoutMs, signal: over.signal }).catch((error) => states.fail(error));
    const { message } = await untilAnswered(() => answer, states, { route, timeoutMs, paths });
    const machine = machineOf(target);
    const about = { name: targetName, ...(machine !== undefined && { machine }), messageId };
    return { ...about, answer: messageText(message.content), states: states.list };
  } finally {
    over.abort();
    await peer.close();
  }
}

interface Waiting {
  readonly route: Route;
  readonly timeoutMs: number;
  readonly paths: Paths;
}

async function untilAnswered(answer: () => UserFrame | undefined, states: MessageStates, waiting: Waiting): Promise<UserFrame> {
  const { timeoutMs, paths } = waiting;
  const { target, targetName } = waiting.route;
  const endMs = performance.now() + timeoutMs;
  let seenMs = performance.now();
  for (;;) {
    const answered = answer();
    if (answered) return answered;
    states.check();
    throwIfFailed(states.current, targetName);
    const nowMs = performance.now();
    if (isThere(target, paths)) seenMs = nowMs;
    if (nowMs - seenMs > GONE_AFTER_MS) throw new CcmError("undeliverable", `${plainLine(targetName)} has ended without an answer`);
    if (nowMs >= endMs) throw timedOut(states.current, targetName, timeoutMs);
    await states.change(Math.min(LOOK_MS, endMs - nowMs));
  }
}

function throwIfFailed(current: TimedState | undefined, name: string): void {
  const { code } = current ? outcomes[current.state] : {};
  if (current && code !== undefined && isFailure(current.state)) throw new CcmError(code, describeState(name, current));
}

function timedOut(current: TimedState | undefined, name: string, timeoutMs: number): CcmError {
  const known = current ? `the message was ${describeState(name, current)}` : "the message was not written yet";
  return new CcmError("timeout", `no answer from ${plainLine(name)} within ${timeoutMs / 1000} s; ${known}`, {
    hint: "give it longer: --timeout SECONDS",
  });
}

function isThere(target: RegistryEntry, paths: Paths): boolean {
  return readRegistry(paths.claudeConfig).some((entry) => !entry.unreachable && isSameMember(entry, target));
}

function isFrom(target: RegistryEntry, { from }: UserFrame, paths: Paths): boolean {
  return readRegistry(paths.claudeConfig).some(
    (entry) => socketAddress(entry.record?.messagingSocketPath ?? "") === from && isSameMember(entry, target),
  );
}
