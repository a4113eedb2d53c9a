import { CcmError, toCcmError } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import { askDaemon } from "../../daemon/control-client.ts";
import type { PeerStatus } from "../../daemon/control-protocol.ts";
import { ensureDaemon } from "../../daemon/ensure-daemon.ts";
import { daemonStatus, reloadDaemon } from "../daemon-request.ts";

/** The executable is there and the connection was good a moment ago: what is left takes a second. */
const LINK_WAIT_MS = 30_000;
/** Beyond that wait, for the daemon itself. */
const DAEMON_GRACE_MS = 2_000;

let turns: Promise<void> = Promise.resolve();

/** One machine after the other: several at once would start as many daemons, of which one may stay. */
function inTurn(work: () => Promise<void>): Promise<void> {
  const turn = turns.then(work);
  turns = turn.catch(() => {});
  return turn;
}

/**
 * Has the daemon take up a peer that is in the configuration, and waits until it is linked. The peer stays paired whatever happens
 * here, and a failure says so.
 */
export async function awaitLink(label: string, paths: Paths): Promise<PeerStatus | undefined> {
  try {
    await inTurn(async () => {
      await ensureDaemon(paths, process.env);
      await reloadDaemon(paths);
    });
    await askDaemon(paths, { op: "await-link", label, timeoutMs: LINK_WAIT_MS }, { timeoutMs: LINK_WAIT_MS + DAEMON_GRACE_MS });
    const { peers } = await daemonStatus(paths);
    return peers.find((peer) => peer.label === label);
  } catch (error) {
    const { code, message, hint } = toCcmError(error);
    throw new CcmError(code, `${label} is paired, but not linked yet: ${message}`, {
      hint: hint ?? "the daemon keeps trying; ccm status shows how it goes",
      cause: error,
    });
  }
}
