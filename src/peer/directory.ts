import { parseAddress } from "../claude/address.ts";
import { socketAddress } from "../claude/frames.ts";
import type { PeerIdentity } from "../claude/peer-files.ts";
import type { RegistryEntry } from "../claude/registry.ts";
import type { RegistryView } from "../claude/registry-view.ts";
import { CcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import { MIRROR_AGENT } from "../members/local-members.ts";
import { resolveMember } from "../members/resolve-target.ts";

/** Somebody who can be written to. */
export interface Correspondent {
  readonly entry: RegistryEntry;
  readonly identity: PeerIdentity;
  readonly name: string;
  /** `uds:` and its socket. */
  readonly address: string;
  readonly sessionId: string | undefined;
  /** Set where it is a session of another machine. */
  readonly machine: string | undefined;
}

/** Who is here, by what a person types and by what stands in frames. */
export class Directory {
  readonly #view: RegistryView;

  constructor(view: RegistryView) {
    this.#view = view;
  }

  /** Throws as {@link resolveMember} does, and `undeliverable` for one that cannot be written to. */
  resolve(text: string): Correspondent {
    const entry = this.#find(text);
    const found = entry.unreachable ? undefined : toCorrespondent(entry);
    if (found) return found;
    throw new CcmError("undeliverable", `${plainLine(text)} cannot be reached: ${entry.unreachable?.detail ?? "its record has no inbox"}`, {
      hint: "ccm doctor tells more",
    });
  }

  /** What is known at once, if it is good; else after another look. */
  #find(text: string): RegistryEntry {
    try {
      const entry = resolveMember(this.#view.entries(), text);
      if (!entry.unreachable) return entry;
    } catch {
      // Perhaps it has just come.
    }
    this.#view.refresh();
    return resolveMember(this.#view.entries(), text);
  }

  /** The live session whose inbox an address names. */
  byAddress(address: string | undefined): Correspondent | undefined {
    const parsed = address === undefined ? undefined : parseAddress(address);
    if (parsed?.kind !== "socket") return undefined;
    const find = () => this.#view.entries().find(({ record }) => record?.messagingSocketPath === parsed.socketPath);
    let entry = find();
    if (!entry || entry.unreachable) {
      this.#view.refresh();
      entry = find();
    }
    return entry && !entry.unreachable ? toCorrespondent(entry) : undefined;
  }

  /** Whether that process is a session, or stands for one. */
  isSession(pid: number): boolean {
    return this.#view.entries().some((entry) => entry.pid === pid && !entry.unreachable);
  }

  /** How many other sessions that can be written to have that name. */
  others(name: string, pid: number): number {
    return this.#view.entries().filter((entry) => !entry.unreachable && entry.record?.name === name && entry.pid !== pid).length;
  }

  entries(): readonly RegistryEntry[] {
    return this.#view.entries();
  }

  onChange(listener: () => void): () => void {
    return this.#view.onChange(listener);
  }
}

function toCorrespondent(entry: RegistryEntry): Correspondent | undefined {
  const { pid, record } = entry;
  const { procStart, messagingSocketPath: socketPath, sessionId } = record ?? {};
  if (record === undefined || procStart === undefined || socketPath === undefined) return undefined;
  const machine = record.agent === MIRROR_AGENT ? record.raw["ccmHost"] : undefined;
  return {
    entry,
    identity: { pid, procStart, socketPath },
    name: record.name ?? String(pid),
    address: socketAddress(socketPath),
    sessionId,
    machine: typeof machine === "string" ? machine : undefined,
  };
}
