import { randomBytes, randomUUID } from "node:crypto";
import path from "node:path";
import { type Clock, systemClock } from "../core/clock.ts";
import { CcmError } from "../core/errors.ts";
import { ensurePrivateDirectory, writePrivateFile } from "../core/private-file.ts";
import { deliver } from "./deliver.ts";
import { type Frame, socketAddress } from "./frames.ts";
import { listenInbox } from "./inbox.ts";
import { readPeerToken, sessionsDirectory, writeKeyFile } from "./key-file.ts";
import { type PeerIdentity, recordFilePath, removePeerFiles } from "./peer-files.ts";
import { currentPidDomain, readProcStart } from "./process-identity.ts";
import { chooseSocketDirectory } from "./socket-directory.ts";

/** What a peer says of itself in its record, beside what its process is. A field set to undefined is left out. */
export interface PeerRecordFields {
  readonly name?: string | undefined;
  readonly status?: string | undefined;
  readonly [field: string]: unknown;
}

export interface PeerOptions {
  readonly claudeConfig: string;
  /** Decides the socket directory. */
  readonly env: NodeJS.ProcessEnv;
  readonly record: PeerRecordFields & { readonly name: string };
  readonly onFrame: (frame: Frame) => void;
  readonly onProblem: (message: string) => void;
  readonly clock?: Clock;
}

/** A process that other sessions list, write to and get answers from, like a session of Claude Code. */
export interface Peer extends PeerIdentity {
  /** `uds:` and the socket path; the `from` of what it sends. */
  readonly address: string;
  /** Changes its record in one step; nothing is written if nothing changes. Throws `state_unusable`. */
  update(fields: PeerRecordFields): void;
  /** Writes to another session from this process, so that receipts come back here. Rejects as {@link deliver} does. */
  deliver(target: PeerIdentity, frame: Frame, signal?: AbortSignal): Promise<void>;
  /** Removes record, key and socket, and ends the connections. May be called again. */
  close(): Promise<void>;
  /** As `close`, all that can be done before it returns: for the end of a process. */
  closeSync(): void;
}

const PEER_FEATURES = ["notify_idle", "reply_across_default_dirs", "artifact_yield"];

/**
 * Makes this process a peer: socket, then key, then record, so that nobody sees a peer that does not answer yet.
 * Rejects with `socket_directory_unsafe` or `state_unusable`; then nothing is left behind.
 */
export async function openPeer(options: PeerOptions): Promise<Peer> {
  const { claudeConfig, clock = systemClock } = options;
  const directory = chooseSocketDirectory(options.env);
  const procStart = readProcStart(process.pid);
  if (procStart === undefined) throw new CcmError("state_unusable", `cannot read the start of process ${process.pid}`);
  const identity: PeerIdentity = { pid: process.pid, procStart, socketPath: path.join(directory, `${process.pid}.sock`) };
  const token = randomBytes(16).toString("hex");
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
  const closeSync = () => {
    record.close();
    removePeerFiles(claudeConfig, identity);
  };
  return {
    ...identity,
    address: socketAddress(identity.socketPath),
    update: (fields) => record.update(fields),
    deliver: async (target, frame, signal) => deliverTo(claudeConfig, target, frame, clock, signal),
    closeSync,
    close: () => {
      closeSync();
      return inbox.close();
    },
  };
}

/** The target is named by its process: a path alone could have gone to another since. */
async function deliverTo(claudeConfig: string, target: PeerIdentity, frame: Frame, clock: Clock, signal?: AbortSignal): Promise<void> {
  if (readProcStart(target.pid) !== target.procStart) {
    throw new CcmError("undeliverable", `the session of process ${target.pid} has ended`);
  }
  const token = readPeerToken(claudeConfig, target.pid, target.socketPath);
  if (token === undefined && process.platform === "linux") {
    throw new CcmError("undeliverable", `the inbox ${target.socketPath} has no key that vouches for it`);
  }
  await deliver({ socketPath: target.socketPath, token, frame, clock, ...(signal && { signal }) });
}

class PeerRecord {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #identity: Readonly<Record<string, unknown>>;
  #fields: Record<string, unknown>;
  #closed = false;

  constructor(claudeConfig: string, identity: PeerIdentity, fields: PeerRecordFields, clock: Clock) {
    const now = clock.now();
    this.#file = recordFilePath(claudeConfig, identity.pid);
    this.#clock = clock;
    this.#identity = {
      pid: identity.pid,
      procStart: identity.procStart,
      pidDomain: currentPidDomain(),
      messagingSocketPath: identity.socketPath,
      peerProtocol: 1,
    };
    const times = { startedAt: now, nameSince: now, updatedAt: now, statusUpdatedAt: now };
    const kind = { peerFeatures: PEER_FEATURES, kind: "interactive", entrypoint: "cli", nameSource: "user", status: "idle" };
    this.#fields = { sessionId: randomUUID(), ...kind, ...times, ...fields };
  }

  update(changes: PeerRecordFields): void {
    const changed = Object.keys(changes).filter((name) => JSON.stringify(changes[name]) !== JSON.stringify(this.#fields[name]));
    if (changed.length === 0 || this.#closed) return;
    const now = this.#clock.now();
    const times = {
      updatedAt: now,
      ...(changed.includes("status") && { statusUpdatedAt: now }),
      ...(changed.includes("name") && { nameSince: now }),
    };
    this.#fields = { ...this.#fields, ...times, ...changes };
    this.write();
  }

  write(): void {
    const { pid, ...identity } = this.#identity;
    writePrivateFile(this.#file, JSON.stringify({ pid, ...this.#fields, ...identity }));
  }

  close(): void {
    this.#closed = true;
  }
}
