import { socketPathOf } from "../../claude/frames.ts";
import { CcmError, exitCodes } from "../../core/errors.ts";
import { type Paths, resolvePaths } from "../../core/paths.ts";
import { randomUuid } from "../../core/random.ts";
import type { MessageState } from "../../link/message-state.ts";
import { MessageStates, type TimedState } from "../../link/message-states.ts";
import { awaitOutcome } from "../message/await-outcome.ts";
import { describeState, isFailure, outcomes } from "../message/outcomes.ts";
import { sendFollowed } from "../message/send-followed.ts";
import { openShellPeer } from "../message/shell-peer.ts";
import { type FailureReport, failureReport, reportFailure } from "../output/failure.ts";
import { noteSent } from "./audit-send.ts";
import { findRoute, machineOf } from "./find-route.ts";
import type { SendArguments } from "./parse-send.ts";
import { readStdinText } from "./read-stdin-text.ts";
import { composeMessage, senderOf } from "./sender.ts";
import { isRemote } from "./write-to-member.ts";

export interface WaitArguments extends SendArguments {
  readonly waitMs: number;
}

/** As `--json` prints it; with `error` where the message did not get there. */
export interface FollowedReport extends Partial<FailureReport> {
  readonly name: string;
  readonly machine?: string;
  readonly messageId: string;
  readonly state: MessageState;
  readonly states: readonly TimedState[];
}

export interface WaitContext {
  readonly paths: Paths;
  readonly environment: NodeJS.ProcessEnv;
  /** What a person is told on the way. */
  readonly onProgress: (line: string) => void;
}

/** `ccm send --wait`: prints each state as it comes, or all of them as JSON at the end. The exit code is that of the last. Throws what keeps it from sending. */
export async function runSendAndWait(waitArguments: WaitArguments): Promise<void> {
  const { json } = waitArguments;
  const onProgress = json ? () => undefined : (line: string) => void process.stdout.write(`${line}\n`);
  const report = await sendAndWait(waitArguments, { paths: resolvePaths(), environment: process.env, onProgress });
  const { code } = outcomes[report.state];
  if (code !== undefined) process.exitCode = exitCodes[code];
  if (json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else if (report.error) reportFailure(new CcmError(report.error.code, report.error.message, report.error), { json });
}

/** Sends, and follows the message for `waitMs` at most. Outside a session it is a peer of its own meanwhile, so that receipts reach it. */
export async function sendAndWait({ name, text, waitMs }: WaitArguments, context: WaitContext): Promise<FollowedReport> {
  const { paths, environment, onProgress } = context;
  const { target, targetName, ownSession } = findRoute(name, paths);
  const own = senderOf(ownSession, paths);
  const { person } = own;
  const body = text ?? (await readStdinText("send"));
  const messageId = randomUuid();
  const states = new MessageStates({ onState: (state) => isWorthALine(state) && onProgress(describeState(targetName, state)) });
  const over = new AbortController();
  const isSession = socketPathOf(own.from) !== undefined;
  const peer = isSession ? undefined : await openShellPeer({ paths, environment, person, messageId, states });
  try {
    const sender = peer ? { person, from: peer.address, fromName: peer.name } : own;
    const { frame } = composeMessage(sender, body, messageId);
    const receiptsCome = !isSession || isRemote(target);
    sendFollowed({ target, frame, person, peer, paths, states, timeoutMs: waitMs, signal: over.signal }).catch((error) =>
      states.fail(error),
    );
    const last = await awaitOutcome(states, { waitMs, receiptsCome });
    noteSent(paths, { messageId, sender: sender.fromName, to: targetName, body }, last?.state ?? "unknown");
    if (!last) throw new CcmError("timeout", `the message was not written within ${waitMs / 1000} s, and may be yet`);
    if (last.state === "queued" || last.state === "sent") onProgress(describeState(targetName, last));
    if (!receiptsCome) onProgress(NO_RECEIPTS);
    return toReport(last, { name: targetName, machine: machineOf(target), messageId, states: states.list });
  } finally {
    over.abort();
    await peer?.close();
  }
}

/** Receipts go only to a process that both owns the address and made the delivery, and here those are two. */
const NO_RECEIPTS = "no more than that can be known of a message between two sessions of one machine";

function isWorthALine({ state }: TimedState): boolean {
  return state === "written" || state === "held" || state === "delivered";
}

function toReport(
  last: TimedState,
  { name, machine, messageId, states }: Pick<FollowedReport, "name" | "messageId" | "states"> & { machine: string | undefined },
): FollowedReport {
  const report = { name, ...(machine !== undefined && { machine }), messageId, state: last.state, states };
  const { code } = outcomes[last.state];
  if (code === undefined || !isFailure(last.state)) return report;
  const hint = machine === undefined ? undefined : `ccm trace ${messageId.slice(0, 8)} tells more`;
  const error = new CcmError(code, describeState(name, last), hint === undefined ? {} : { hint });
  return { ...report, ...failureReport(error) };
}
