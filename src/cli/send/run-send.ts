import { exitCodes } from "../../core/errors.ts";
import { type Paths, resolvePaths } from "../../core/paths.ts";
import { plainLine } from "../../core/plain-text.ts";
import { reportFailure } from "../output/failure.ts";
import { auditSend } from "./audit-send.ts";
import { findRoute, machineOf } from "./find-route.ts";
import { parseSend, type SendArguments } from "./parse-send.ts";
import { readStdinText } from "./read-stdin-text.ts";
import { composeMessage, senderOf } from "./sender.ts";
import { type SendState, writeToMember } from "./write-to-member.ts";

/** What became of a message, as `--json` prints it. */
export interface SendReport {
  readonly name: string;
  readonly state: SendState;
  readonly messageId: string;
  /** The label of the target's machine, where that is another one. */
  readonly machine?: string;
}

/**
 * `ccm send` with the words after it. This is the hot path, so nothing here imports yargs, zod or ssh2, and what only `--wait` needs is
 * imported when it is asked for. The outcome is in `process.exitCode`; never rejects.
 */
export async function runSend(words: readonly string[]): Promise<void> {
  try {
    const sendArguments = parseSend(words);
    const { waitMs } = sendArguments;
    if (waitMs !== undefined) return await (await import("./run-send-and-wait.ts")).runSendAndWait({ ...sendArguments, waitMs });
    const report = await send(sendArguments, resolvePaths());
    process.stdout.write(sendArguments.json ? `${JSON.stringify(report)}\n` : `${describeReport(report)}\n`);
    if (report.state === "queued") process.exitCode = exitCodes.queued;
  } catch (error) {
    reportFailure(error, { json: words.includes("--json") });
  }
}

/** Finds the target and the sender before it reads any text, and writes nothing unless both stand. */
async function send({ name, text }: SendArguments, paths: Paths): Promise<SendReport> {
  const { target, targetName, ownSession } = findRoute(name, paths);
  const sender = senderOf(ownSession, paths);
  const body = text ?? (await readStdinText("send"));
  const { messageId, ...message } = composeMessage(sender, body);
  const sent = { messageId, sender: sender.fromName, to: targetName, body };
  const state = await auditSend(paths, sent, () => writeToMember(target, message, paths));
  const machine = machineOf(target);
  return { name: targetName, state, messageId, ...(machine !== undefined && { machine }) };
}

/** "Written" is all that is known: the inbox took the bytes; whether its session acts on them is its own affair. */
function describeReport({ name, state, machine }: SendReport): string {
  const shown = plainLine(name);
  if (state === "written") return `written to ${shown}`;
  return `queued for ${shown}: ${plainLine(machine ?? "its machine")} is not linked now; it goes out when it is again`;
}
