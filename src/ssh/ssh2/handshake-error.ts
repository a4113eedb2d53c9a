import { CcmError, systemErrorCode } from "../../core/errors.ts";
import { plainLine } from "../../core/plain-text.ts";
import type { SshTarget } from "../ssh-target.ts";
import type { AuthenticationLog } from "./authentication.ts";
import { authenticationError } from "./authentication-error.ts";

/** What ssh2 or the socket said before we were in, as ours. The only place that looks at ssh2's own words. */
export function handshakeError(target: SshTarget, log: AuthenticationLog, error: Error): CcmError {
  if (log.exhausted || log.offered.length > 0 || /too many auth/i.test(error.message)) return authenticationError(target, log, error);
  if (isNoMatch(error)) {
    return new CcmError("ssh_failed", `${target.alias} and ccm have no ${agreement(error.message)} in common`, {
      hint: `its sshd is too old or too strict; compare \`ssh -vv ${target.user}@${target.alias}\``,
      cause: error,
    });
  }
  const what = systemErrorCode(error) === "ECONNRESET" ? "it hung up" : plainLine(error.message, 160);
  return new CcmError("ssh_failed", `the ssh handshake with ${target.host} port ${target.port} failed: ${what}`, {
    hint: "check that an ssh server listens there, and its log",
    cause: error,
  });
}

/** Whether an error of {@link handshakeError} says that the two sides have no algorithm in common. */
export function isNegotiationFailure(error: CcmError): boolean {
  return error.code === "ssh_failed" && error.cause instanceof Error && isNoMatch(error.cause);
}

function isNoMatch(error: Error): boolean {
  return /no matching/i.test(error.message);
}

function agreement(message: string): string {
  return /host key/i.test(message) ? "type of host key" : /key exchange/i.test(message) ? "key exchange" : "cipher or MAC";
}
