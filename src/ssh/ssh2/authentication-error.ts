import { CcmError } from "../../core/errors.ts";
import { plainLine } from "../../core/plain-text.ts";
import type { SshTarget } from "../ssh-target.ts";
import type { AuthenticationLog } from "./authentication.ts";

const MAX_LISTED = 4;

/** Why the server did not let us in, from what was tried: which keys, which were passed over and why, and what to do about it. */
export function authenticationError(target: SshTarget, log: AuthenticationLog, cause: Error): CcmError {
  const tried = log.offered.length === 0 ? "there was no key to offer" : `refused ${listed(log.offered)}`;
  const skipped = passedOver(log);
  const words = log.exhausted ? "" : ` (${plainLine(cause.message, 120)})`;
  const message = `${target.user}@${target.alias} did not let us in: ${tried}${skipped.length === 0 ? "" : `; passed over ${listed(skipped)}`}${words}`;
  return new CcmError("authentication_failed", message, { hint: hint(target, log, cause), cause });
}

function passedOver(log: AuthenticationLog): string[] {
  const files = log.identities.flatMap((identity) => {
    if (identity.state === "locked" && !isOffered(log, identity.publicKey))
      return [`${identity.file} (has a passphrase, and no agent holds it)`];
    return identity.state === "unusable" ? [`${identity.file} (${identity.reason})`] : [];
  });
  const agent = log.agent.state === "failed" ? [`the agent at ${log.agent.socket} (${plainLine(log.agent.reason, 80)})`] : [];
  return [...files, ...agent];
}

function hint(target: SshTarget, log: AuthenticationLog, cause: Error): string {
  const command = `ssh ${target.port === 22 ? "" : `-p ${target.port} `}${target.user}@${target.alias}`;
  if (/too many auth/i.test(cause.message)) {
    return `name the right key for ${target.alias} in ~/.ssh/config: IdentityFile FILE and IdentitiesOnly yes`;
  }
  const locked = log.identities.find((identity) => identity.state === "locked" && !isOffered(log, identity.publicKey));
  if (locked && log.agent.state === "none") {
    return `SSH_AUTH_SOCK names no agent here; start one and \`ssh-add ${locked.file}\`, or set IdentityAgent for ${target.alias} in ~/.ssh/config`;
  }
  if (locked) return `\`ssh-add ${locked.file}\`, or use a key without a passphrase for ${target.alias}`;
  if (!log.methodsLeft.includes("publickey") && log.methodsLeft.length > 0) {
    return `it takes only ${plainLine(log.methodsLeft.join(", "), 80)}; ccm needs a key: allow PubkeyAuthentication there`;
  }
  return `make \`${command}\` work without a password, for instance with ssh-copy-id`;
}

function isOffered(log: AuthenticationLog, publicKey: Buffer | undefined): boolean {
  return publicKey !== undefined && log.agent.state === "answered" && log.agent.keys.some((key) => key.publicKey.equals(publicKey));
}

function listed(items: readonly string[]): string {
  const more = items.length > MAX_LISTED ? ` and ${items.length - MAX_LISTED} more` : "";
  return `${items.slice(0, MAX_LISTED).join(", ")}${more}`;
}
