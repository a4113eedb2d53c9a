import { inspect } from "node:util";

/**
 * Every way in which `ccm` can fail, and the exit code that a script sees for it.
 *
 * The table is the single source: the README's list and `test/unit/core/errors.test.ts` are held against it.
 * 1 is kept for what nobody foresaw; codes above 125 belong to shells.
 */
export const exitCodes = {
  internal: 1,
  usage: 2,
  config_invalid: 3,

  // What became of a message.
  no_such_member: 10,
  ambiguous_name: 11,
  message_to_self: 12,
  too_large: 13,
  undeliverable: 14,
  unconfirmed: 15,
  queued: 16,
  refused: 17,
  held: 18,
  no_such_message: 19,

  // This machine.
  daemon_unavailable: 20,
  already_running: 21,
  state_unusable: 22,
  socket_directory_unsafe: 23,
  executable_missing: 24,
  /** `ccm doctor` or `ccm demo` found something that is not as it should be. */
  check_failed: 25,
  /** `ccm update` found no release. */
  release_unavailable: 26,
  /** A release was there and is not what was published, or does not start here. */
  release_refused: 27,
  /** The system's service manager is not there, or does not do what it is asked. */
  service_failed: 28,
  /** Claude Code's own command refused what `ccm init` or `ccm uninstall` asked of it. */
  claude_failed: 29,

  // Reaching the other machine.
  host_not_found: 30,
  host_unreachable: 31,
  host_key_unknown: 32,
  host_key_changed: 33,
  host_key_revoked: 34,
  known_hosts_unreadable: 35,
  authentication_failed: 36,
  ssh_failed: 37,
  ssh_config_unsupported: 38,

  // The executable over there.
  push_failed: 40,
  platform_unsupported: 41,
  remote_failed: 42,

  // The link between two daemons.
  protocol_unsupported: 50,
  protocol_violated: 51,
  link_refused: 52,
  link_down: 53,
  peer_silent: 54,

  timeout: 60,

  // `ccm selftest`.
  /** Something that we rely on is not so with the Claude Code here. */
  selftest_failed: 70,
  /** Of some of it, or of all, that could not be told. */
  selftest_unavailable: 71,
} as const;

export type ErrorCode = keyof typeof exitCodes;

export interface CcmErrorOptions {
  /** What the person can do now, as one imperative line. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** The one error type that crosses a room's door. Its message is one line: what failed, and where. */
export class CcmError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: CcmErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "CcmError";
    this.code = code;
    this.hint = options.hint;
  }

  get exitCode(): number {
    return exitCodes[this.code];
  }
}

/** Anything thrown, as a {@link CcmError}; what is not one already becomes `internal`. */
export function toCcmError(thrown: unknown): CcmError {
  if (isCcmError(thrown)) return thrown;
  const message = thrown instanceof Error ? thrown.message : typeof thrown === "string" ? thrown : inspect(thrown);
  return new CcmError("internal", message, { cause: thrown });
}

/** By its shape: the executable's two bundles have a class each. */
function isCcmError(thrown: unknown): thrown is CcmError {
  return thrown instanceof Error && thrown.name === "CcmError" && "code" in thrown && String(thrown.code) in exitCodes;
}

/** The `code` of a Node system error (`ENOENT`, …), or undefined. */
export function systemErrorCode(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null || !("code" in thrown)) return undefined;
  return typeof thrown.code === "string" ? thrown.code : undefined;
}
