import type { UserFrame } from "../../claude/frames.ts";
import type { RegistryEntry } from "../../claude/registry.ts";
import { CcmError, toCcmError } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import { plainLine } from "../../core/plain-text.ts";
import { isMessageState } from "../../link/message-state.ts";
import type { MessageStates } from "../../link/message-states.ts";
import { isRemote, writeToMember } from "../send/write-to-member.ts";
import { followMessage } from "./follow-message.ts";
import type { ShellPeer } from "./shell-peer.ts";

export interface FollowedMessage {
  readonly target: RegistryEntry;
  readonly frame: UserFrame;
  readonly person: string;
  /** Whose address the message is from; undefined in a session, which then gets the receipts itself. */
  readonly peer: ShellPeer | undefined;
  readonly paths: Paths;
  readonly states: MessageStates;
  readonly timeoutMs: number;
  /** Nobody wants to know any more. */
  readonly signal: AbortSignal;
}

/**
 * Sends a message and lets `states` know what becomes of it. Settles when it is written or waits for the link; later states come by
 * receipts and from the daemon. Rejects if it was not sent at all.
 */
export async function sendFollowed(message: FollowedMessage): Promise<void> {
  const { target, peer, frame, states } = message;
  try {
    if (isRemote(target)) await sendToOtherMachine(message);
    else if (peer) await peer.deliver(identityOf(target), frame);
    else await writeToMember(target, message, message.paths);
    if (!isRemote(target)) states.add({ state: "written" });
  } catch (error) {
    const { code, message: reason } = toCcmError(error);
    // The daemon may know it already, and then said it better.
    if (!isMessageState(code) || code === "held" || code === "queued") throw error;
    states.add({ state: code, reason });
  }
}

async function sendToOtherMachine({ target, frame, person, peer, paths, states, timeoutMs, signal }: FollowedMessage): Promise<void> {
  await followMessage({ paths, messageId: frame.msg_id ?? "", timeoutMs, states, signal });
  states.add({ state: await writeToMember(target, { frame, person, isFromShell: peer !== undefined }, paths, timeoutMs) });
}

function identityOf({ pid, record }: RegistryEntry) {
  const { procStart, messagingSocketPath: socketPath } = record ?? {};
  if (procStart !== undefined && socketPath !== undefined) return { pid, procStart, socketPath };
  throw new CcmError("undeliverable", `${plainLine(record?.name ?? String(pid))} cannot be reached: its record has no inbox`, {
    hint: "ccm doctor tells more",
  });
}
