import type { ModeClass } from "../claude/admission/consent.ts";
import { buildInfo } from "../core/build-info.ts";
import type { Clock } from "../core/clock.ts";
import { CcmError } from "../core/errors.ts";
import type { Paths } from "../core/paths.ts";
import { plainLine } from "../core/plain-text.ts";
import { connectDaemon } from "../daemon/control-client.ts";
import { PeerProgram } from "../peer/peer-program.ts";
import type { PeerEvent } from "../peer/schema/output.ts";
import { EventRing } from "./event-ring.ts";
import { followRemote } from "./follow-remote.ts";
import { IdleSubscriptions } from "./idle-subscriptions.ts";
import { Problem } from "./problem.ts";
import { ReceivedMessages } from "./received-messages.ts";
import type { Health } from "./schema.ts";
import { SentMessages } from "./sent-messages.ts";
import { Sessions } from "./sessions.ts";
import { watchSessions } from "./watch-sessions.ts";

export interface ServicesOptions {
  readonly paths: Paths;
  readonly environment: NodeJS.ProcessEnv;
  readonly name: string;
  /** The permission class that its messages declare, if any. */
  readonly mode?: ModeClass | undefined;
  readonly clock: Clock;
  /** Aborts when the API is going; then what waits for an event ends. */
  readonly closing: AbortSignal;
  /** One line for the log. */
  readonly onProblem: (message: string) => void;
}

/** What the endpoints work with: a peer of one name, and what it has said and heard. */
export interface Services {
  readonly name: string;
  /** Where sessions write to now; undefined in the moment in which the process that listens is replaced. */
  readonly address: () => string | undefined;
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
  /** Leaves the chat. May be called again. */
  close(): Promise<void>;
}

const DAEMON_PROBE_MS = 500;

/** Enters the chat. Rejects with `ambiguous_name` if a session here has that name, and as {@link PeerProgram.start} does. */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const { paths, environment, name, mode, clock, closing } = options;
  const startedAt = new Date(clock.now()).toISOString();
  const ring = new EventRing();
  const peer: PeerProgram = new PeerProgram({
    name,
    aliases: [],
    inbound: "accept",
    mode,
    claudeConfig: paths.claudeConfig,
    env: environment,
    cwd: paths.home,
    clock,
    emit: async (event) => take(event),
    follow: (messageId, onChange, signal) =>
      followRemote({ paths, messageId, onChange, signal: AbortSignal.any([signal, sent.settledSignal(messageId)]), clock }),
  });
  const { own } = peer.place(undefined);
  const sessions = new Sessions(paths, () => own.address?.pid);
  const received = new ReceivedMessages((id) => sent.get(id) !== undefined);
  const sent: SentMessages = new SentMessages({
    paths,
    clock,
    peer,
    sessions,
    received,
    onState: (event) => ring.push("message.state", event),
  });
  const subscriptions = new IdleSubscriptions({ paths, clock, peer, sessions, onSettled: (settled) => ring.push("idle", settled) });
  const take = (event: PeerEvent) => {
    if (event.event === "message") ring.push("message.received", received.take(event));
    else if (event.event === "receipt") sent.takeChange(event);
    else if (event.event === "idle" || event.event === "gone") subscriptions.take(event);
    else if (event.event === "problem") options.onProblem(event.message);
  };
  try {
    requireFree(name, peer);
    await peer.start();
  } catch (error) {
    await peer.close();
    throw error;
  }
  watchSessions(peer.directory, sessions, own.sessionId, (type, session) => ring.push(type, session));
  const address = () => own.address?.address;
  const health = async () => ({
    ...about(name, address()),
    machine: sessions.machine,
    started_at: startedAt,
    daemon: await isDaemonUp(paths),
  });
  const state = { ring, sessions, sent, received, subscriptions, streams: new Set(), closing };
  return { name, address, clock, ...state, health, close: () => peer.close() };
}

function requireFree(name: string, peer: PeerProgram): void {
  const isTaken = peer.directory.entries().some(({ record, unreachable }) => record?.name === name && !unreachable);
  if (!isTaken) return;
  throw new CcmError("ambiguous_name", `api: a session here is called ${plainLine(name, 80)} already`, {
    hint: "take another name: --name NAME",
  });
}

function about(name: string, address: string | undefined) {
  if (address !== undefined) return { status: "ok" as const, version: buildInfo.version, name, address };
  const detail = "the process that listens for sessions has died and is being replaced";
  throw new Problem(503, { code: "not_listed", detail, headers: { "Retry-After": "1" } });
}

async function isDaemonUp(paths: Paths): Promise<boolean> {
  try {
    (await connectDaemon(paths, DAEMON_PROBE_MS)).destroy();
    return true;
  } catch {
    return false;
  }
}
