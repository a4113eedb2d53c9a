import type { CommandModule } from "yargs";
import { exitCodes } from "../../core/errors.ts";
import { resolvePaths } from "../../core/paths.ts";
import { checkClaudeVersions, checkInbound } from "../doctor/check-claude.ts";
import { checkDaemon } from "../doctor/check-daemon.ts";
import { checkConfig, checkSocketDirectory, checkStateDirectory } from "../doctor/check-files.ts";
import { checkHooks } from "../doctor/check-hooks.ts";
import { checkHostKeys } from "../doctor/check-host-keys.ts";
import { checkPrograms } from "../doctor/check-programs.ts";
import { checkSessions } from "../doctor/check-sessions.ts";
import { checkTransports } from "../doctor/check-transports.ts";
import { describeFindings, worstLevel } from "../doctor/describe-findings.ts";
import { jsonOption } from "../options.ts";
import { print, printJson } from "../output/print.ts";
import { styleFor } from "../output/style.ts";

interface Arguments {
  readonly json: boolean;
}

export const doctor: CommandModule<object, Arguments> = {
  command: "doctor",
  describe: "Check this machine's part of the chat, and say what to mend",
  builder: (yargs) => yargs.options(jsonOption),
  async handler({ json }) {
    const paths = resolvePaths();
    const [daemon, sessions, programs, transports, hostKeys] = await Promise.all([
      checkDaemon(paths),
      checkSessions(paths),
      checkPrograms(process.env),
      checkTransports(paths, process.env),
      checkHostKeys(paths, process.env),
    ]);
    const findings = [
      checkConfig(paths),
      checkStateDirectory(paths),
      checkSocketDirectory(process.env),
      ...daemon,
      ...sessions,
      ...programs,
      ...transports,
      ...hostKeys,
      ...checkHooks(paths),
      checkInbound(paths),
      ...checkClaudeVersions(paths),
    ];
    const worst = worstLevel(findings);
    if (worst === "fail") process.exitCode = exitCodes.check_failed;
    if (json) return printJson({ result: worst, findings });
    print(describeFindings(findings, styleFor(process.stdout)));
  },
};
