import os from "node:os";
import { sanitizeFromName } from "../../claude/envelope.ts";
import { socketAddress } from "../../claude/frames.ts";
import type { RegistryEntry } from "../../claude/registry.ts";
import { readLightConfig } from "../../core/light-config.ts";
import type { Paths } from "../../core/paths.ts";

/** Whom the receiver sees. */
export interface Sender {
  /** Where an answer goes; outside a session, and in one without an inbox, nobody listens there. */
  readonly from: string;
  readonly fromName: string;
  /** The user behind it. */
  readonly person: string;
}

/** A person or a script is `<user>@<label>` at `ccm:<label>`; a session is itself. */
export function senderOf(ownSession: RegistryEntry | undefined, paths: Paths): Sender {
  const label = readLightConfig(paths).label;
  const person = userName();
  const socketPath = ownSession?.unreachable ? undefined : ownSession?.record?.messagingSocketPath;
  return {
    from: socketPath === undefined ? `ccm:${label}` : socketAddress(socketPath),
    fromName: sanitizeFromName(ownSession?.record?.name ?? "") || sanitizeFromName(`${person}@${label}`),
    person,
  };
}

function userName(): string {
  try {
    return os.userInfo().username;
  } catch {
    // A uid without an entry in the user database, as in some containers.
    return `uid-${process.getuid?.() ?? "unknown"}`;
  }
}
