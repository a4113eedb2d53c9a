import { buildInfo } from "../../core/build-info.ts";
import { toCcmError } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import type { DaemonStatus, PeerStatus } from "../../daemon/control-protocol.ts";
import { daemonStatusIfRunning } from "../daemon-request.ts";
import { count, describeDuration } from "../output/units.ts";
import { type Finding, ok, trouble } from "./finding.ts";

const MAX_CLOCK_DIFFERENCE_MS = 5_000;

/** The daemon runs and is this very program; and each of its links. */
export async function checkDaemon(paths: Paths): Promise<Finding[]> {
  let status: DaemonStatus | undefined;
  try {
    status = await daemonStatusIfRunning(paths);
  } catch (error) {
    const { message } = toCcmError(error);
    return [trouble("fail", "daemon", message, { fix: `ccm restart; if that does not help, see ${paths.logFile}` })];
  }
  if (!status) return [trouble("fail", "daemon", "the ccm daemon is not running", { fix: "ccm up" })];
  return [checkVersion(status), ...status.peers.map(checkPeer), ...status.peers.flatMap(checkClock)];
}

function checkVersion({ daemon }: DaemonStatus): Finding {
  const running = `the daemon runs (pid ${daemon.pid}, ccm ${daemon.version})`;
  if (daemon.buildId === buildInfo.buildId) return ok("daemon", running);
  return trouble("warn", "daemon", `${running}, but this is ccm ${buildInfo.version} (build ${buildInfo.buildId}, not ${daemon.buildId})`, {
    fix: "ccm restart",
  });
}

/** The times in the two machines' logs do not fit together, and a file that is new there looks old here. */
function checkClock({ label, clockDifferenceMs }: PeerStatus): Finding[] {
  if (clockDifferenceMs === undefined) return [];
  const size = describeDuration(Math.abs(clockDifferenceMs));
  if (Math.abs(clockDifferenceMs) < MAX_CLOCK_DIFFERENCE_MS) return [ok("clock", `within ${size} of this machine's`, label)];
  const detail = `${size} ${clockDifferenceMs > 0 ? "ahead of" : "behind"} this machine's`;
  return [trouble("warn", "clock", detail, { subject: label, fix: "set the clock that is wrong, or have NTP do it" })];
}

function checkPeer({ label, state, error, members, membersOverLimit }: PeerStatus): Finding {
  if (membersOverLimit > 0)
    return trouble("warn", "peer", `linked, but ${membersOverLimit} of its members are over the limit and not listed`, { subject: label });
  if (state === "linked") return ok("peer", `linked, ${count(members, "member")}`, label);
  const detail = error ? `${state}: ${error.message}` : state;
  // A machine that dialled us and is gone may simply be switched off.
  return trouble(state === "offline" || state === "connecting" ? "warn" : "fail", "peer", detail, { subject: label, fix: error?.hint });
}
