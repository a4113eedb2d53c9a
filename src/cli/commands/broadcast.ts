import type { CommandModule } from "yargs";
import { messagePreview } from "../../audit/message-preview.ts";
import { noteEvent } from "../../audit/note-event.ts";
import { type RegistryEntry, readRegistry } from "../../claude/registry.ts";
import { CcmError, type ErrorCode, exitCodes } from "../../core/errors.ts";
import { readLightConfig } from "../../core/light-config.ts";
import { type Paths, resolvePaths } from "../../core/paths.ts";
import { findOwnSession } from "../../members/own-session.ts";
import { listMembers, rosterContext } from "../../members/roster-members.ts";
import { broadcast as broadcastTo, type CopyReport, type Recipient } from "../broadcast/broadcast.ts";
import { describeBroadcast, describeRecipients } from "../broadcast/describe-broadcast.ts";
import { jsonOption, listParserConfiguration } from "../options.ts";
import { print, printJson } from "../output/print.ts";
import { styleFor } from "../output/style.ts";
import { type Selection, selectionOptions, selectMembers } from "../roster/select-members.ts";
import { readStdinText } from "../send/read-stdin-text.ts";
import { senderOf } from "../send/sender.ts";

interface Arguments extends Selection {
  readonly text: string[] | undefined;
  readonly "dry-run": boolean;
  readonly json: boolean;
}

export const broadcast: CommandModule<object, Arguments> = {
  command: "broadcast [text..]",
  describe: "Write a message to every other session, or to those that you choose",
  builder: (yargs) =>
    yargs
      .parserConfiguration(listParserConfiguration)
      .positional("text", { type: "string", array: true, describe: "The message; `-` or none: stdin" })
      .options({
        ...selectionOptions,
        except: { type: "string", array: true, requiresArg: true, describe: "Not to sessions of that name; * stands for anything" },
        "dry-run": { type: "boolean", default: false, describe: "Say whom it would go to, and send nothing" },
        ...jsonOption,
      })
      .example("ccm broadcast 'main is frozen until noon'", "")
      .example("ccm broadcast --node server --except 'ci-*' 'please commit'", ""),
  async handler({ text = [], "dry-run": isDryRun, json, ...selection }) {
    const paths = resolvePaths();
    const entries = readRegistry(paths.claudeConfig);
    const recipients = chooseRecipients(paths, entries, selection);
    const members = recipients.map(({ member }) => member);
    if (isDryRun) return json ? printJson({ recipients: members }) : print(describeRecipients(members, styleFor(process.stdout)));
    const body = text.length === 0 || (text.length === 1 && text[0] === "-") ? await readStdinText("broadcast") : text.join(" ");
    const sender = senderOf(findOwnSession(entries), paths);
    const reports = await broadcastTo(paths, sender, recipients, body);
    auditBroadcast(paths, sender.fromName, reports, body);
    setExitCode(reports);
    if (json) printJson({ count: reports.length, recipients: reports });
    else print(describeBroadcast(reports, styleFor(process.stdout)));
  },
};

/** Everyone but this session itself, and but those who cannot be reached at all. Throws `no_such_member` where nobody is left. */
function chooseRecipients(paths: Paths, entries: readonly RegistryEntry[], selection: Selection): Recipient[] {
  const others = listMembers(entries, rosterContext(paths, entries)).filter(({ isYou }) => !isYou);
  const byPid = new Map(entries.map((entry) => [entry.pid, entry]));
  const chosen = selectMembers(others, selection).filter(({ unreachable }) => unreachable === undefined);
  if (chosen.length > 0) return chosen.flatMap((member) => ({ member, entry: byPid.get(member.pid) as RegistryEntry }));
  const hint = others.length === 0 ? "no other session is here" : "ccm roster lists all; take an option away";
  throw new CcmError("no_such_member", "there is nobody to write to", { hint });
}

/** One line, with what became of each copy. */
function auditBroadcast(paths: Paths, sender: string, reports: readonly CopyReport[], body: string): void {
  const targets = reports.map(({ name, machine, messageId, state, error }) => ({ to: name, machine, msg_id: messageId, state, error }));
  const preview = messagePreview(body, readLightConfig(paths).auditPreviewCharacters);
  noteEvent(paths, { ev: "broadcast", sender, ok: reports.every(({ ok }) => ok), count: reports.length, targets, ...preview });
}

/** The first failure's, else `queued` where a copy waits. */
function setExitCode(reports: readonly CopyReport[]): void {
  const failed = reports.find(({ ok }) => !ok)?.state as ErrorCode | undefined;
  if (failed !== undefined) process.exitCode = exitCodes[failed];
  else if (reports.some(({ state }) => state === "queued")) process.exitCode = exitCodes.queued;
}
