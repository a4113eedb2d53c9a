import { CcmError, type ErrorCode } from "../../core/errors.ts";
import { plainLine } from "../../core/plain-text.ts";
import type { SshTarget } from "../ssh-target.ts";

interface Reading {
  readonly pattern: RegExp;
  readonly code: ErrorCode;
  readonly message: (target: SshTarget, match: RegExpExecArray, stderr: string) => string;
  readonly hint: (target: SshTarget) => string;
}

/**
 * ssh's words for why it did not get in, as ours; the first that fits. What a hop said stands before what it led to. The only place
 * that looks at these words, which are OpenSSH's in the C locale.
 */
const readings: readonly Reading[] = [
  {
    pattern: /REVOKED HOST KEY DETECTED|host key \S+ .*revoked/i,
    code: "host_key_revoked",
    message: (target, _match, stderr) => `the host key of ${target.alias} is revoked: ${keyWords(stderr)}`,
    hint: () => "do not connect; ask whoever runs that host for its new key",
  },
  {
    pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED/,
    code: "host_key_changed",
    message: (target, _match, stderr) => `the host key of ${changedHost(stderr) ?? target.alias} has CHANGED: ${keyWords(stderr)}`,
    hint: (target) => `someone may be listening in; only if the change is expected: remove that line, then \`ssh ${target.typed}\` once`,
  },
  {
    pattern: /No (\S+) host key is known for (\S+)/,
    code: "host_key_unknown",
    message: (target, match) => `the host key of ${target.alias} is not known: no ${match[1]} key for ${match[2]} in known_hosts`,
    hint: (target) => `compare the host's fingerprint, then accept it once with \`ssh ${target.typed}\``,
  },
  {
    pattern: /Certificate invalid: ([^\r\n]+)|Host key verification failed/,
    code: "host_key_unknown",
    message: (target, match) => `the host key of ${target.alias} is not to be trusted: ${match[1] ?? match[0]}`,
    hint: (target) => `see \`ssh -v ${target.typed}\``,
  },
  {
    pattern: /Could not resolve hostname ([^\s:]+)/,
    code: "host_not_found",
    message: (_target, match) => `the name ${match[1]} is not found`,
    hint: () => "check the name and this machine's network, or give it a HostName in ~/.ssh/config",
  },
  {
    pattern: /Too many authentication failures/,
    code: "authentication_failed",
    message: (target) => `${target.user}@${target.alias} did not let us in: too many keys were offered`,
    hint: (target) => `name the right key for ${target.alias} in ~/.ssh/config: IdentityFile FILE and IdentitiesOnly yes`,
  },
  {
    pattern: /(?:(\S+): )?Permission denied \(([^)\r\n]*)\)/,
    code: "authentication_failed",
    message: (target, match) => `${match[1] ?? `${target.user}@${target.alias}`} did not let us in; it takes ${match[2]}`,
    hint: (target) => `make \`ssh -o BatchMode=yes ${target.typed}\` work; a key with a passphrase has to be in an agent: ssh-add FILE`,
  },
  {
    pattern: /(?:connect to (?:host|address) (\S+) port (\d+): )?(Connection timed out|Operation timed out)/,
    code: "timeout",
    message: (target, match) => `cannot reach ${where(target, match)}: no answer`,
    hint: (target) => `check that ${target.alias} is up and that its sshd listens there`,
  },
  {
    pattern: /connect to (?:host|address) (\S+) port (\d+): ([^\r\n]+)/,
    code: "host_unreachable",
    message: (target, match) => `cannot reach ${where(target, match)}: ${match[3]}`,
    hint: (target) => `check that ${target.alias} is up and that its sshd listens there`,
  },
];

export function handshakeError(target: SshTarget, stderr: string): CcmError {
  for (const { pattern, code, message, hint } of readings) {
    const match = pattern.exec(stderr);
    if (match) return new CcmError(code, plainLine(message(target, match, stderr), 400), { hint: hint(target) });
  }
  const said = plainLine(lastLines(stderr), 240) || "nothing";
  return new CcmError("ssh_failed", `ssh did not get into ${target.alias}; it said: ${said}`, { hint: `see \`ssh -v ${target.typed}\`` });
}

function where(target: SshTarget, match: RegExpExecArray): string {
  return match[1] === undefined ? target.alias : `${match[1]} port ${match[2]}`;
}

/** `it shows ED25519 SHA256:…, FILE:LINE says otherwise`, as far as ssh tells. */
function keyWords(stderr: string): string {
  const [, type = "", fingerprint = ""] =
    /fingerprint for the (\S+) key sent by the remote host is\s+(SHA256:\S+?)\.?\s/.exec(stderr) ?? [];
  const [, file] = /(?:Offending|Matching|is marked as revoked in)[^/]*key[^/]* in (\/[^\r\n]+)/.exec(stderr) ?? [];
  const parts = [fingerprint === "" ? "" : `it shows ${type} ${fingerprint}`, file === undefined ? "" : `${file.trim()} says otherwise`];
  return parts.filter(Boolean).join(", ") || "see ssh";
}

function changedHost(stderr: string): string | undefined {
  return /Host key for (\S+) has changed/.exec(stderr)?.[1];
}

function lastLines(stderr: string): string {
  return stderr.trim().split("\n").slice(-3).join(" ");
}
