import { userInfo } from "node:os";
import { buildEnvelope, sanitizeFromName } from "../../claude/envelope.ts";
import { socketAddress, userFrame } from "../../claude/frames.ts";
import type { RegistryEntry } from "../../claude/registry.ts";
import { readLightConfig } from "../../core/light-config.ts";
import type { Paths } from "../../core/paths.ts";
import { randomUuid } from "../../core/random.ts";
import { declaredClass, type PermissionClass } from "../../members/permission-snapshot.ts";
import type { OutgoingMessage } from "./write-to-member.ts";

/** Whom the receiver sees. */
export interface Sender {
  /** Where an answer goes; outside a session, and in one without an inbox, nobody listens there. */
  readonly from: string;
  readonly fromName: string;
  /** As the session's own hooks saw it, and undeclared where they did not or where it is not certain. */
  readonly fromMode?: PermissionClass;
  /** The user behind it. */
  readonly person: string;
}

/** A person or a script is `<user>@<label>` at `ccm:<label>`; a session is itself. */
export function senderOf(ownSession: RegistryEntry | undefined, paths: Paths): Sender {
  const label = readLightConfig(paths).label;
  const person = userName();
  const fromMode = ownSession?.record && declaredClass(paths.permissionsDirectory, ownSession.record);
  const socketPath = ownSession?.unreachable ? undefined : ownSession?.record?.messagingSocketPath;
  return {
    from: socketPath === undefined ? `ccm:${label}` : socketAddress(socketPath),
    fromName: sanitizeFromName(ownSession?.record?.name ?? "") || sanitizeFromName(`${person}@${label}`),
    ...(fromMode !== undefined && { fromMode }),
    person,
  };
}

/** What a message of that sender is, for one target; under a new id unless one is given. */
export function composeMessage(
  { person, ...envelope }: Sender,
  body: string,
  messageId: string = randomUuid(),
): OutgoingMessage & { readonly messageId: string } {
  return { frame: userFrame({ from: envelope.from, messageId, content: buildEnvelope(envelope, body) }), person, messageId };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A uid without an entry in the user database, as in some containers.
    return `uid-${process.getuid?.() ?? "unknown"}`;
  }
}
