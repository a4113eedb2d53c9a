import { type Frame, isIdleNotice, isReceipt, isUserFrame } from "../claude/frames.ts";
import { openRegistryView } from "../claude/registry-view.ts";
import { buildInfo } from "../core/build-info.ts";
import type { Clock } from "../core/clock.ts";
import type { Paths } from "../core/paths.ts";
import { connectDaemon } from "../daemon/control-client.ts";
import { type ApiPeer, openApiPeer } from "./api-peer.ts";
import { EventRing } from "./event-ring.ts";
import { IdleSubscriptions } from "./idle-subscriptions.ts";
import { ReceivedMessages } from "./received-messages.ts";
import type { Health } from "./schema.ts";
import { SentMessages } from "./sent-messages.ts";
import { Sessions } from "./sessions.ts";
import { watchSessions } from "./watch-sessions.ts";

export interface ServicesOptions {
  readonly paths: Paths;
  readonly environment: NodeJS.ProcessEnv;
  readonly name: string;
  readonly clock: Clock;
  /** Aborts when the API is going; then what waits for an event ends. */
  readonly closing: AbortSignal;
  /** One line for the log. */
  readonly onProblem: (message: string) => void;
}

/** What the endpoints work with: the peer, and what it has said and heard. */
export interface Services {
  readonly peer: ApiPeer;
  readonly clock: Clock;
  readonly ring: EventRing;
  readonly sessions: Sessions;
  readonly sent: SentMessages;
  readonly received: ReceivedMessages;
  readonly subscriptions: IdleSubscriptions;
  /** The event streams that are open. */
  readonly streams: Set<unknown>;
  readonly closing: AbortSignal;
  health(): Promise<Health>;
  /** Leaves the chat. What is being written gets a second. May be called again. */
  close(): Promise<void>;
  /** As `close`, all that can be done before it returns. */
  closeSync(): void;
}

const LAST_DELIVERIES_MS = 1_000;
const DAEMON_PROBE_MS = 500;

/** Enters the chat. Rejects as {@link openApiPeer} does; then nothing is left behind. */
export async function openServices({ paths, environment, name, clock, closing, onProblem }: ServicesOptions): Promise<Services> {
  const startedAt = new Date(clock.now()).toISOString();
  const ring = new EventRing();
  const early: Frame[] = [];
  let take = (frame: Frame): void => void early.push(frame);
  const peer = await openApiPeer({ paths, environment, name, onProblem, onFrame: (frame) => take(frame) });
  const sessions = new Sessions(paths, peer.pid);
  const sent = new SentMessages({ paths, clock, peer, sessions, onState: (event) => ring.push("message.state", event) });
  const received = new ReceivedMessages(clock, (id) => sent.get(id) !== undefined);
  const subscriptions = new IdleSubscriptions({ clock, peer, sessions, onSettled: (settled) => ring.push("idle", settled) });
  take = (frame) => {
    if (isUserFrame(frame)) ring.push("message.received", received.take(frame));
    else if (isReceipt(frame)) sent.takeReceipt(frame);
    else if (isIdleNotice(frame)) subscriptions.takeNotice(frame);
  };
  for (const frame of early) take(frame);
  const view = openRegistryView({ claudeConfig: paths.claudeConfig, clock, onProblem });
  watchSessions(view, sessions, (type, session) => ring.push(type, session));
  view.onChange((entries) => subscriptions.takeRegistry(entries));
  return {
    peer,
    clock,
    ring,
    sessions,
    sent,
    received,
    subscriptions,
    streams: new Set(),
    closing,
    health: async () => ({
      status: "ok",
      version: buildInfo.version,
      name: peer.name,
      address: peer.address,
      machine: sessions.machine,
      started_at: startedAt,
      daemon: await connectDaemon(paths, DAEMON_PROBE_MS).then(
        (socket) => socket.destroy() !== undefined,
        () => false,
      ),
    }),
    async close() {
      view.close();
      subscriptions.close();
      await before(clock, LAST_DELIVERIES_MS, peer.idle());
      sent.close();
      await peer.close();
    },
    closeSync: () => peer.closeSync(),
  };
}

async function before(clock: Clock, waitMs: number, work: Promise<void>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(waitMs, resolve);
  await Promise.race([work, late]).finally(cancel);
}
