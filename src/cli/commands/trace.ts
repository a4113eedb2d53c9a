import type { CommandModule } from "yargs";
import { CcmError } from "../../core/errors.ts";
import { readLightConfig } from "../../core/light-config.ts";
import { type Paths, resolvePaths } from "../../core/paths.ts";
import { askDaemon } from "../../daemon/control-client.ts";
import type { MachineTrace } from "../../daemon/control-protocol.ts";
import { ownTrace } from "../../daemon/trace.ts";
import { ifRunning } from "../daemon-request.ts";
import { jsonOption } from "../options.ts";
import { print, printJson } from "../output/print.ts";
import { styleFor } from "../output/style.ts";
import { describeTrace } from "../trace/describe-trace.ts";
import { findMessage } from "../trace/find-message.ts";

interface Arguments {
  readonly id: string;
  readonly json: boolean;
}

/** The other machines have 8 s to answer. */
const TRACE_TIMEOUT_MS = 12_000;

export const trace: CommandModule<object, Arguments> = {
  command: "trace <id>",
  describe: "Tell what became of a message, on each machine that it went through",
  builder: (yargs) =>
    yargs
      .positional("id", { type: "string", demandOption: true, describe: "The message's id, or 4 characters or more of its beginning" })
      .options(jsonOption),
  async handler({ id, json }) {
    const paths = resolvePaths();
    const found = findMessage((await askMachines(id, paths)) ?? (await ownMachine(id, paths)), id);
    if (json) return printJson(found);
    print(describeTrace(found, styleFor(process.stdout)));
  },
};

/** Undefined where no daemon runs. */
async function askMachines(id: string, paths: Paths): Promise<readonly MachineTrace[] | undefined> {
  const answer = await ifRunning(askDaemon(paths, { op: "trace", messageId: id }, { timeoutMs: TRACE_TIMEOUT_MS }));
  if (answer === undefined || "machines" in answer) return answer?.machines;
  throw new CcmError("internal", "the daemon's answer has no trace");
}

async function ownMachine(id: string, paths: Paths): Promise<readonly MachineTrace[]> {
  const own = { machine: readLightConfig(paths).label, lines: await ownTrace(paths.auditFile, id) };
  return [own, { machine: "others", lines: [], problem: "no daemon is running here to ask them: ccm up" }];
}
