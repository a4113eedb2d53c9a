import type { RegistryEntry } from "../../claude/registry.ts";
import { type ErrorCode, toCcmError } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import { plainLine } from "../../core/plain-text.ts";
import type { RosterMember } from "../../members/roster-members.ts";
import { composeMessage, type Sender } from "../send/sender.ts";
import { type SendState, writeToMember } from "../send/write-to-member.ts";

export interface Recipient {
  readonly member: RosterMember;
  readonly entry: RegistryEntry;
}

/** What became of one recipient's copy, as `--json` prints it. */
export interface CopyReport {
  readonly name: string;
  readonly machine: string;
  readonly messageId: string;
  readonly state: SendState | ErrorCode;
  readonly ok: boolean;
  readonly error?: string;
}

/** Writes to all at once; one that fails keeps no other from its copy. In the order of the recipients; never rejects. */
export async function broadcast(paths: Paths, sender: Sender, recipients: readonly Recipient[], body: string): Promise<CopyReport[]> {
  return await Promise.all(recipients.map((recipient) => writeCopy(paths, sender, recipient, body)));
}

async function writeCopy(paths: Paths, sender: Sender, { member, entry }: Recipient, body: string): Promise<CopyReport> {
  const { messageId, ...message } = composeMessage(sender, body);
  const about = { name: member.name, machine: member.machine, messageId };
  try {
    return { ...about, state: await writeToMember(entry, message, paths), ok: true };
  } catch (error) {
    const { code, message: problem } = toCcmError(error);
    return { ...about, state: code, ok: false, error: plainLine(problem) };
  }
}
