import type { Paths } from "../../core/paths.ts";
import { checkClaudeVersions, checkInbound } from "./check-claude.ts";
import { checkDaemon } from "./check-daemon.ts";
import { checkConfig, checkSocketDirectory, checkStateDirectory } from "./check-files.ts";
import { checkHooks } from "./check-hooks.ts";
import { checkHostKeys } from "./check-host-keys.ts";
import { checkPrograms } from "./check-programs.ts";
import { checkSessions } from "./check-sessions.ts";
import { checkTransports } from "./check-transports.ts";
import type { Finding } from "./finding.ts";

/** All checks of this machine's part. Never rejects: what cannot be checked is a finding. */
export async function checkMachine(paths: Paths, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const [daemon, sessions, programs, transports, hostKeys] = await Promise.all([
    checkDaemon(paths),
    checkSessions(paths),
    checkPrograms(environment),
    checkTransports(paths, environment),
    checkHostKeys(paths, environment),
  ]);
  return [
    checkConfig(paths),
    checkStateDirectory(paths),
    checkSocketDirectory(environment),
    ...daemon,
    ...sessions,
    ...programs,
    ...transports,
    ...hostKeys,
    ...checkHooks(paths),
    checkInbound(paths),
    ...checkClaudeVersions(paths),
  ];
}
