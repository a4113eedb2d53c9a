import { setTimeout as delay } from "node:timers/promises";
import type { CommandModule } from "yargs";
import type { TrailLine } from "../../audit/read-trail.ts";
import { TrailReader } from "../../audit/trail-reader.ts";
import { CcmError } from "../../core/errors.ts";
import { resolvePaths } from "../../core/paths.ts";
import { describeEvent } from "../log/describe-event.ts";
import { type LogRequest, logFilter } from "../log/log-filter.ts";
import { listParserConfiguration } from "../options.ts";
import { print, printJson } from "../output/print.ts";
import { styleFor } from "../output/style.ts";
import { untilInterrupted } from "../output/until-interrupted.ts";

interface Arguments extends LogRequest {
  readonly lines: string;
  readonly follow: boolean;
  readonly json: boolean;
}

/** A person does not see a shorter one. */
const FOLLOW_EVERY_MS = 200;

export const log: CommandModule<object, Arguments> = {
  command: "log",
  describe: "Show what happened: who came and went, tasks, messages and what became of them",
  builder: (yargs) =>
    yargs
      .parserConfiguration(listParserConfiguration)
      .options({
        lines: { alias: "n", type: "string", default: "20", requiresArg: true, describe: "How many of the newest; `all` for all" },
        follow: { alias: "f", type: "boolean", default: false, describe: "Go on as things happen" },
        ev: { type: "string", array: true, requiresArg: true, describe: "Only events of that kind (may be given again)" },
        peer: { type: "string", requiresArg: true, describe: "Only what went to or came from that machine" },
        member: { type: "string", requiresArg: true, describe: "Only what that session did or was sent" },
        since: { type: "string", requiresArg: true, describe: "Only from then on: 10m, 2h, 3d, or a date" },
        until: { type: "string", requiresArg: true, describe: "Only until then" },
        grep: { type: "string", requiresArg: true, describe: "Only with that text, in any letter case" },
        json: { type: "boolean", default: false, describe: "Each event as it is in the file, one JSON object a line" },
      })
      .example("ccm log -f --ev send --ev native_send", ""),
  async handler({ lines, follow, json, ...request }) {
    const limit = parseLimit(lines);
    const isAskedFor = logFilter(request, Date.now());
    const style = styleFor(process.stdout);
    const show = (line: TrailLine) => (json ? printJson(line) : print(describeEvent(line, style)));
    let held: TrailLine[] | undefined = [];
    const reader = new TrailReader(resolvePaths().auditFile, (line) => {
      if (!isAskedFor(line)) return;
      if (!held) return show(line);
      held.push(line);
      if (held.length > limit) held.shift();
    });
    reader.catchUp();
    for (const line of held) show(line);
    held = undefined;
    if (follow) await followOn(reader, untilInterrupted());
    reader.close();
  },
};

async function followOn(reader: TrailReader, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    reader.catchUp();
    await delay(FOLLOW_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

function parseLimit(text: string): number {
  if (text === "all") return Number.POSITIVE_INFINITY;
  if (/^\d+$/.test(text)) return Number(text);
  throw new CcmError("usage", `log: --lines cannot be ${text}`, { hint: "use a number, or all" });
}
