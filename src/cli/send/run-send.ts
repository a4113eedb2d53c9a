import { buildEnvelope } from "../../claude/envelope.ts";
import { userFrame } from "../../claude/frames.ts";
import { type RegistryEntry, readRegistry } from "../../claude/registry.ts";
import { CcmError, exitCodes } from "../../core/errors.ts";
import { type Paths, resolvePaths } from "../../core/paths.ts";
import { plainLine } from "../../core/plain-text.ts";
import { randomUuid } from "../../core/random.ts";
import { findOwnSession } from "../../members/own-session.ts";
import { resolveMember } from "../../members/resolve-target.ts";
import { reportFailure } from "../output/failure.ts";
import { parseSend, type SendArguments } from "./parse-send.ts";
import { readStdinText } from "./read-stdin-text.ts";
import { senderOf } from "./sender.ts";
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
 * `ccm send` with the words after it. This is the hot path, so nothing here imports yargs, zod or ssh2. The outcome is in
 * `process.exitCode`; never rejects.
 */
export async function runSend(words: readonly string[]): Promise<void> {
  try {
    const sendArguments = parseSend(words);
    const report = await send(sendArguments, resolvePaths());
    process.stdout.write(sendArguments.json ? `${JSON.stringify(report)}\n` : `${describeReport(report)}\n`);
    if (report.state === "queued") process.exitCode = exitCodes.queued;
  } catch (error) {
    reportFailure(error, { json: words.includes("--json") });
  }
}

/** Finds the target and the sender before it reads any text, and writes nothing unless both stand. */
async function send({ name, text }: SendArguments, paths: Paths): Promise<SendReport> {
  const entries = readRegistry(paths.claudeConfig);
  const target = requireReachable(resolveMember(entries, name), name);
  const ownSession = findOwnSession(entries);
  if (ownSession?.pid === target.pid) {
    throw new CcmError("message_to_self", `${plainLine(name)} is this session itself`, { hint: "ccm roster marks your own session" });
  }
  const { from, fromName, person } = senderOf(ownSession, paths);
  const body = text ?? (await readStdinText());
  const messageId = randomUuid();
  const frame = userFrame({ from, messageId, content: buildEnvelope({ from, fromName }, body) });
  const state = await writeToMember(target, { frame, person }, paths);
  return { name: target.record?.name ?? name, state, messageId, ...machineOf(target) };
}

function requireReachable(entry: RegistryEntry, name: string): RegistryEntry {
  if (entry.unreachable === undefined) return entry;
  throw new CcmError("undeliverable", `${plainLine(name)} cannot be reached: ${entry.unreachable.detail}`, {
    hint: "ccm doctor tells more",
  });
}

function machineOf(entry: RegistryEntry): { machine?: string } {
  const machine = entry.record?.raw["ccmHost"];
  return typeof machine === "string" ? { machine } : {};
}

/** "Written" is all that is known: the inbox took the bytes; whether its session acts on them is its own affair. */
function describeReport({ name, state, machine }: SendReport): string {
  const shown = plainLine(name);
  if (state === "written") return `written to ${shown}`;
  return `queued for ${shown}: ${plainLine(machine ?? "its machine")} is not linked now; it goes out when it is again`;
}
