import type { CommandModule } from "yargs";
import { exitCodes } from "../../core/errors.ts";
import { type Paths, resolvePaths } from "../../core/paths.ts";
import { checkMachine } from "../doctor/check-machine.ts";
import { describeFindings, worstLevel } from "../doctor/describe-findings.ts";
import { describeFleet } from "../doctor/describe-fleet.ts";
import { examineFleet, fleetExitCode } from "../doctor/examine-fleet.ts";
import { jsonOption } from "../options.ts";
import { print, printJson } from "../output/print.ts";
import { styleFor } from "../output/style.ts";

interface Arguments {
  readonly all: boolean;
  readonly json: boolean;
}

export const doctor: CommandModule<object, Arguments> = {
  command: "doctor",
  describe: "Check this machine's part of the chat, and say what to mend",
  builder: (yargs) =>
    yargs
      .options({
        all: { type: "boolean", default: false, describe: "Also have every paired machine check its own part, and show all in one table" },
        ...jsonOption,
      })
      .example("ccm doctor --all", ""),
  async handler({ all, json }) {
    const paths = resolvePaths();
    if (all) return await examineAll(paths, json);
    const findings = await checkMachine(paths, process.env);
    const worst = worstLevel(findings);
    if (worst === "fail") process.exitCode = exitCodes.check_failed;
    if (json) return printJson({ result: worst, findings });
    print(describeFindings(findings, styleFor(process.stdout)));
  },
};

async function examineAll(paths: Paths, json: boolean): Promise<void> {
  const machines = await examineFleet(paths, process.env);
  process.exitCode = fleetExitCode(machines);
  if (json) return printJson({ ok: process.exitCode === 0, machines });
  print(describeFleet(machines, styleFor(process.stdout)));
}
