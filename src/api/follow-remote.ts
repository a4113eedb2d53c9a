import type { Clock } from "../core/clock.ts";
import type { Paths } from "../core/paths.ts";
import { followDaemon } from "../daemon/control-client.ts";
import type { StateChange } from "../link/message-state.ts";

export interface FollowRemoteOptions {
  readonly paths: Paths;
  readonly messageId: string;
  readonly onChange: (change: StateChange) => void;
  /** Aborts when the message is written or will never be, or when nobody wants to know any more. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** Longer than a message can wait: a machine that is not linked for some minutes is given up. */
const FOLLOW_MS = 86_400_000;
/** The mirror that took the message of a daemon that died says what it knows, and knows better than we. */
const LAST_WORD_MS = 4_000;

/**
 * Has the daemon tell what becomes of a message to another machine, until `signal` aborts; if the daemon ends before that, the message
 * is `unconfirmed`. Settles when the daemon is listening, so that nothing of a message that is written now is missed, or cannot.
 */
export async function followRemote(options: FollowRemoteOptions): Promise<void> {
  const { paths, messageId, onChange, signal } = options;
  const lines = followDaemon(paths, { op: "follow", messageId, timeoutMs: FOLLOW_MS }, signal);
  const first = await lines.next().catch(() => undefined);
  const following = async () => {
    if (first === undefined || first.done) return;
    for await (const line of lines) if ("change" in line) onChange(line.change);
  };
  void following()
    .catch(() => undefined)
    .then(() => giveUp(options));
}

function giveUp({ messageId, onChange, signal, clock }: FollowRemoteOptions): void {
  if (signal.aborted) return;
  const reason = "the daemon ended while the message was on its way";
  const cancel = clock.after(LAST_WORD_MS, () => onChange({ messageId, state: "unconfirmed", reason }));
  signal.addEventListener("abort", cancel, { once: true });
}
