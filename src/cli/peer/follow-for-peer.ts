import type { Paths } from "../../core/paths.ts";
import { followDaemon } from "../../daemon/control-client.ts";
import type { PeerProgramOptions } from "../../peer/peer-program.ts";
import { isFinal } from "../message/outcomes.ts";

/** A message that is held that long expires anyway. */
const FOLLOW_MS = 30 * 60_000;
/** Of so many messages at once what the daemon learns is told; of others only what comes as receipts. */
const MAX_FOLLOWED = 200;

/** Has the daemon tell what becomes of messages to other machines. Where it does not run or does not answer, receipts are all there is. */
export function followForPeer(paths: Paths): PeerProgramOptions["follow"] {
  let followed = 0;
  return async (messageId, onChange, signal) => {
    if (followed >= MAX_FOLLOWED) return;
    followed += 1;
    const over = new AbortController();
    const lines = followDaemon(paths, { op: "follow", messageId, timeoutMs: FOLLOW_MS }, AbortSignal.any([signal, over.signal]));
    const first = await lines.next().catch(() => undefined);
    void (async () => {
      if (!first || first.done) return;
      for await (const line of lines) {
        if (!("change" in line)) continue;
        // What a receipt says comes to the sender itself as well.
        if (!RECEIPT_STATES.has(line.change.state)) onChange(line.change);
        if (isFinal(line.change.state)) return;
      }
    })()
      .catch(() => undefined)
      .finally(() => {
        followed -= 1;
        over.abort();
      });
  };
}

const RECEIPT_STATES = new Set(["held", "delivered", "denied", "expired", "refused", "dropped"]);
