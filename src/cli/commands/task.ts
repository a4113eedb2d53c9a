import type { CommandModule } from "yargs";
import { messagePreview } from "../../audit/message-preview.ts";
import { noteEvent } from "../../audit/note-event.ts";
import { currentPidDomain } from "../../claude/process-identity.ts";
import { readRegistry } from "../../claude/registry.ts";
import type { SessionRecord } from "../../claude/session-record.ts";
import { CcmError } from "../../core/errors.ts";
import { readLightConfig } from "../../core/light-config.ts";
import { type Paths, resolvePaths } from "../../core/paths.ts";
import { findOwnSession } from "../../members/own-session.ts";
import { putRosterEntry } from "../../members/roster-entry.ts";
import { readSessionAttributes } from "../../members/session-attributes.ts";
import { isSessionId } from "../../members/session-file.ts";
import { cleanTask } from "../../members/task.ts";
import { jsonOption, listParserConfiguration } from "../options.ts";
import { print, printJson } from "../output/print.ts";

interface Arguments {
  readonly text: string[] | undefined;
  readonly json: boolean;
}

export const task: CommandModule<object, Arguments> = {
  command: "task [text..]",
  describe: "Say what this session works on, or show it",
  builder: (yargs) =>
    yargs
      .parserConfiguration(listParserConfiguration)
      .positional("text", { type: "string", array: true, describe: "One line, at most 140 characters; empty takes the task away" })
      .options(jsonOption)
      .example("ccm task 'moving the login to OAuth'", ""),
  handler({ text = [], json }) {
    const paths = resolvePaths();
    const record = requireOwnSession(paths);
    const said = text.length === 0 ? undefined : cleanTask(text.join(" "));
    if (said !== undefined) setTask(paths, record, said);
    const current = said ?? readSessionAttributes(paths, record).task ?? "";
    if (json) return printJson({ session: record.sessionId, name: record.name, task: current, changed: said !== undefined });
    print(current === "" ? "no task is set" : current);
  },
};

/** From a terminal outside any session there is nobody to speak for. */
function requireOwnSession(paths: Paths): SessionRecord {
  const record = findOwnSession(readRegistry(paths.claudeConfig))?.record;
  if (record && isSessionId(record.sessionId)) return record;
  throw new CcmError("usage", "ccm task speaks for the Claude Code session that it runs in, and this is none", {
    hint: "run it from a session's Bash tool; ccm roster shows the tasks of all",
  });
}

function setTask(
  paths: Paths,
  { pid, procStart = "", pidDomain = currentPidDomain(), sessionId = "", name, cwd }: SessionRecord,
  said: string,
): void {
  const changes = { task: said, taskSource: "agent", taskAt: Date.now() } as const;
  const put = putRosterEntry(paths.rosterDirectory, { pid, procStart, pidDomain, sessionId, name, cwd, ...changes });
  const about = { member: name, session_id: sessionId, source: "agent" };
  if (put === "joined") noteEvent(paths, { ev: "join", ...about });
  const { preview } = messagePreview(said, readLightConfig(paths).auditPreviewCharacters);
  noteEvent(paths, { ev: "task", ...about, task: preview });
}
