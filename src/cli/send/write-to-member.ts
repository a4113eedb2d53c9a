import { deliver } from "../../claude/deliver.ts";
import { MAX_LINE_CHARACTERS, type UserFrame } from "../../claude/frames.ts";
import { readPeerToken } from "../../claude/key-file.ts";
import type { RegistryEntry } from "../../claude/registry.ts";
import { CcmError, toCcmError } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import { plainLine } from "../../core/plain-text.ts";
import { MIRROR_AGENT } from "../../members/local-members.ts";

export interface OutgoingMessage {
  readonly frame: UserFrame;
  /** The user who sends it, for where no session does. */
  readonly person: string;
  /** `from` is a place in the registry that this process has only while it waits. */
  readonly isFromShell?: boolean;
}

export type SendState = "written" | "queued";

/** How long the daemon waits for the other machine's word, unless told otherwise. */
const OUTCOME_WAIT_MS = 10_000;
/** Beyond that wait, for the daemon itself. */
const DAEMON_GRACE_MS = 2_000;

/**
 * Writes a message to a session of this machine directly, and to one of another machine through the daemon, which alone learns the
 * outcome there and is given `waitMs` for it. Rejects with what is known to have become of it: nothing was written, or `unconfirmed`.
 */
export async function writeToMember(
  target: RegistryEntry,
  message: OutgoingMessage,
  paths: Paths,
  waitMs = OUTCOME_WAIT_MS,
): Promise<SendState> {
  return isRemote(target) ? await writeThroughDaemon(target, message, paths, waitMs) : await writeLocally(target, message, paths);
}

/** A session of another machine; its entry is that of its mirror. */
export function isRemote({ record }: RegistryEntry): boolean {
  return record?.agent === MIRROR_AGENT;
}

async function writeLocally({ pid, record }: RegistryEntry, { frame }: OutgoingMessage, paths: Paths): Promise<SendState> {
  const socketPath = record?.messagingSocketPath;
  const token = socketPath === undefined ? undefined : readPeerToken(paths.claudeConfig, pid, socketPath);
  if (socketPath === undefined || token === undefined) {
    const missing = socketPath === undefined ? "inbox" : "key for its inbox";
    const shown = plainLine(record?.name ?? String(pid));
    throw new CcmError("undeliverable", `${shown} cannot be reached: it has no ${missing}`, { hint: "ccm doctor tells more" });
  }
  await deliver({ socketPath, token, frame });
  return "written";
}

async function writeThroughDaemon({ pid }: RegistryEntry, message: OutgoingMessage, paths: Paths, waitMs: number): Promise<SendState> {
  refuseTooLarge(message.frame);
  const { askDaemon, DaemonEnded } = await import("../../daemon/control-client.ts");
  const request = { op: "send", mirrorPid: pid, ...message, waitMs } as const;
  try {
    const answer = await askDaemon(paths, request, { timeoutMs: waitMs + DAEMON_GRACE_MS });
    if ("state" in answer) return answer.state;
    throw new CcmError("unconfirmed", "the daemon did not say what became of the message");
  } catch (error) {
    const { code, message: problem, cause } = toCcmError(error);
    // A daemon that was never asked has written nothing.
    if (code !== "timeout" && !(code === "daemon_unavailable" && cause instanceof DaemonEnded)) throw error;
    throw new CcmError("unconfirmed", `the message may or may not have been written: ${problem}`, {
      hint: "ask before you send it again",
      cause: error,
    });
  }
}

/** What needs more than one line at an inbox is refused here already, before it crosses. */
function refuseTooLarge(frame: UserFrame): void {
  const characters = JSON.stringify(frame).length;
  if (characters <= MAX_LINE_CHARACTERS) return;
  throw new CcmError("too_large", `the message takes ${characters} characters on the wire; the limit is ${MAX_LINE_CHARACTERS}`, {
    hint: "shorten it, or put it into a file and send the path",
  });
}
