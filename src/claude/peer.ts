import { type Clock, systemClock } from "../core/clock.ts";
import { CcmError } from "../core/errors.ts";
import { ensurePrivateDirectory } from "../core/private-file.ts";
import { randomHex } from "../core/random.ts";
import { DeliveryQueues } from "./delivery-queues.ts";
import { type Frame, socketAddress } from "./frames.ts";
import { type InboxOptions, listenInbox } from "./inbox.ts";
import { sessionsDirectory, writeKeyFile } from "./key-file.ts";
import { type PeerIdentity, removePeerFiles } from "./peer-files.ts";
import { PeerRecord, type PeerRecordFields } from "./peer-record.ts";
import { currentPidDomain, readProcStart } from "./process-identity.ts";
import { inboxSocketPath } from "./socket-directory.ts";

export interface PeerOptions {
  readonly claudeConfig: string;
  /** Decides the socket directory. */
  readonly env: NodeJS.ProcessEnv;
  readonly record: PeerRecordFields & { readonly name: string };
  /** As of an inbox: a promise that it returns holds the sender's connection until it settles. */
  readonly onFrame: InboxOptions["onFrame"];
  readonly childToken?: string;
  readonly identifyClients?: boolean;
  readonly onProblem: (message: string) => void;
  readonly clock?: Clock;
}

/** A process that other sessions list, write to and get answers from, like a session of Claude Code. */
export interface Peer extends PeerIdentity {
  /** `uds:` and the socket path; the `from` of what it sends. */
  readonly address: string;
  /** Changes its record in one step; nothing is written if nothing changes. Throws `state_unusable`. */
  update(fields: PeerRecordFields): void;
  /**
   * Writes to another session from this process, so that receipts come back here. Frames for one target arrive in the order of
   * the calls; no target waits for another. Rejects as `deliver` of deliver.ts does.
   */
  deliver(target: PeerIdentity, frame: Frame): Promise<void>;
  /** Settles when no delivery is under way. */
  idle(): Promise<void>;
  /** Removes record, key and socket, and ends the connections. May be called again. */
  close(): Promise<void>;
  /** As `close`, all that can be done before it returns: for the end of a process. */
  closeSync(): void;
}

/**
 * Makes this process a peer: socket, then key, then record, so that nobody sees a peer that does not answer yet.
 * Rejects with `socket_directory_unsafe` or `state_unusable`; then nothing is left behind.
 */
export async function openPeer(options: PeerOptions): Promise<Peer> {
  const { claudeConfig, clock = systemClock } = options;
  const socketPath = inboxSocketPath(options.env, process.pid);
  const procStart = readProcStart(process.pid);
  if (procStart === undefined) throw new CcmError("state_unusable", `cannot read the start of process ${process.pid}`);
  const identity: PeerIdentity = { pid: process.pid, procStart, socketPath };
  const token = randomHex(16);
  ensurePrivateDirectory(sessionsDirectory(claudeConfig));
  const inbox = await listenInbox({ ...options, socketPath: identity.socketPath, token, clock });
  const record = new PeerRecord(claudeConfig, identity, options.record, clock);
  try {
    writeKeyFile(claudeConfig, identity.pid, identity.socketPath, { peerToken: token, procStart, pidDomain: currentPidDomain() });
    record.write();
  } catch (error) {
    removePeerFiles(claudeConfig, identity);
    await inbox.close();
    throw error;
  }
  const queues = new DeliveryQueues({ claudeConfig, clock });
  const closeSync = () => {
    record.close();
    removePeerFiles(claudeConfig, identity);
  };
  return {
    ...identity,
    address: socketAddress(identity.socketPath),
    update: (fields) => record.update(fields),
    deliver: (target, frame) => queues.deliver(target, frame),
    idle: () => queues.idle(),
    closeSync,
    close: () => {
      closeSync();
      return inbox.close();
    },
  };
}
