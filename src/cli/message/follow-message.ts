import { CcmError } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import { followDaemon } from "../../daemon/control-client.ts";
import type { MessageStates } from "../../link/message-states.ts";

export interface FollowOptions {
  readonly paths: Paths;
  readonly messageId: string;
  readonly timeoutMs: number;
  readonly states: MessageStates;
  readonly signal: AbortSignal;
}

/**
 * Has the daemon tell `states` all that becomes of a message, until `timeoutMs` are over or `signal` aborts. Settles when the daemon is
 * listening, so that nothing of a message that is sent now is missed. Rejects with `daemon_unavailable`, and with `usage` if the daemon
 * is too old to know how.
 */
export async function followMessage({ paths, messageId, timeoutMs, states, signal }: FollowOptions): Promise<void> {
  const lines = followDaemon(paths, { op: "follow", messageId, timeoutMs }, signal);
  const first = await lines.next();
  if (first.done) throw new CcmError("daemon_unavailable", "the daemon ended before the message was sent", { hint: "see ccm status" });
  void (async () => {
    for await (const line of lines) if ("change" in line) states.add(line.change);
  })().catch(() => {
    // The daemon ended: what the receipts say from here on is all there is.
  });
}
