import type { Clock } from "../core/clock.ts";
import { writePrivateFile } from "../core/private-file.ts";
import { randomUuid } from "../core/random.ts";
import { sanitizeFromName } from "./envelope.ts";
import { type PeerIdentity, recordFilePath } from "./peer-files.ts";
import { currentPidDomain } from "./process-identity.ts";

/** What a peer says of itself in its record, beside what its process is. A field set to undefined is left out. */
export interface PeerRecordFields {
  readonly name?: string | undefined;
  readonly status?: string | undefined;
  readonly [field: string]: unknown;
}

const PEER_FEATURES = ["notify_idle", "reply_across_default_dirs", "artifact_yield"];

const MAX_FORMER_NAMES = 10;

/** A peer's own record in the registry. What says which process it is cannot be overridden. */
export class PeerRecord {
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
    this.#fields = { sessionId: randomUuid(), ...kind, ...times, ...withPlainName(fields) };
  }

  update(fields: PeerRecordFields): void {
    const changes = withPlainName(fields);
    const changed = Object.keys(changes).filter((name) => JSON.stringify(changes[name]) !== JSON.stringify(this.#fields[name]));
    if (changed.length === 0 || this.#closed) return;
    const now = this.#clock.now();
    const times = {
      updatedAt: now,
      ...(changed.includes("status") && { statusUpdatedAt: now }),
      ...(changed.includes("name") && { nameSince: now, formerNames: this.#formerNames(now) }),
    };
    this.#fields = { ...this.#fields, ...times, ...changes };
    this.write();
  }

  /** As Claude Code keeps them, so that a sender who knows the old name is told the new one. */
  #formerNames(until: number): unknown[] {
    const { name, sessionId, formerNames } = this.#fields;
    const former = Array.isArray(formerNames) ? formerNames : [];
    return [...former, { name, until, sessionId }].slice(-MAX_FORMER_NAMES);
  }

  write(): void {
    writePrivateFile(this.#file, JSON.stringify({ ...this.#fields, ...this.#identity }));
  }

  close(): void {
    this.#closed = true;
  }
}

/** Other sessions print a name to their person and their model, and put it into envelopes. */
function withPlainName(fields: PeerRecordFields): PeerRecordFields {
  return fields.name === undefined ? fields : { ...fields, name: sanitizeFromName(fields.name) || "unnamed" };
}
