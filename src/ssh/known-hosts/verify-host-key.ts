import { CcmError } from "../../core/errors.ts";
import type { SshTarget } from "../ssh-target.ts";
import type { KnownHosts } from "./known-hosts.ts";
import { type KnownHostLine, publicKeyType } from "./parse-known-hosts.ts";
import { fingerprintOf } from "./remember-host-key.ts";

/**
 * Accepts the host key or throws: `host_key_revoked`, `host_key_changed` or `host_key_unknown`, naming host, file and line. A
 * `@cert-authority` line vouches for certificates only and never for a plain key.
 */
export function verifyHostKey(target: SshTarget, known: KnownHosts, key: Buffer): void {
  const revoked = [...known.lines, ...known.portlessLines].find((line) => line.marker === "revoked" && line.key.equals(key));
  if (revoked) throw revokedKey(target, revoked, key);
  const plain = known.lines.filter((line) => line.marker === undefined);
  if (plain.some((line) => line.key.equals(key))) return;
  const sameType = plain.find((line) => line.keyType === publicKeyType(key));
  if (sameType) throw changedKey(target, known, sameType, key);
  if (known.portlessLines.some((line) => line.marker === undefined && line.key.equals(key))) return;
  if (plain[0]) throw changedType(target, known, plain[0], key);
  throw unknownKey(target, known, key);
}

function revokedKey(target: SshTarget, line: KnownHostLine, key: Buffer): CcmError {
  return new CcmError("host_key_revoked", `the host key of ${where(target)} is revoked by ${place(line)}: ${describeKey(key)}`, {
    hint: "do not connect; ask whoever runs that host for its new key",
  });
}

function changedKey(target: SshTarget, known: KnownHosts, line: KnownHostLine, key: Buffer): CcmError {
  const message = `the host key of ${where(target)} has CHANGED: it shows ${describeKey(key)}, ${place(line)} says ${describeKey(line.key)}`;
  return new CcmError("host_key_changed", message, { hint: removalHint(target, known, line) });
}

function changedType(target: SshTarget, known: KnownHosts, line: KnownHostLine, key: Buffer): CcmError {
  const message = `the host key of ${where(target)} has CHANGED its type: it shows ${describeKey(key)}, ${place(line)} knows ${describeKey(line.key)}`;
  return new CcmError("host_key_changed", message, { hint: removalHint(target, known, line) });
}

function unknownKey(target: SshTarget, known: KnownHosts, key: Buffer): CcmError {
  const authority = known.lines.find((line) => line.marker === "cert-authority");
  const searched = target.knownHostsFiles.join(", ") || "no known_hosts file";
  const why = authority ? `${place(authority)} trusts only certificates there` : `"${known.name}" is not in ${searched}`;
  return new CcmError("host_key_unknown", `the host key of ${where(target)} is not known: it shows ${describeKey(key)}; ${why}`, {
    hint: `compare that fingerprint with the host's own, then accept it once with \`${sshCommand(target)}\`, or add --accept-new-host-key ${fingerprintOf(key)}`,
  });
}

function removalHint(target: SshTarget, known: KnownHosts, line: KnownHostLine): string {
  const removal = `ssh-keygen -f "${line.file}" -R "${known.name}"`;
  return `someone may be listening in; only if the change is expected: \`${removal}\`, then \`${sshCommand(target)}\` once`;
}

/** The command that asks the person about the key, with what was typed for us. */
function sshCommand(target: SshTarget): string {
  const port = target.port === 22 ? "" : `-p ${target.port} `;
  return `ssh ${port}${target.user}@${target.alias}`;
}

function where(target: SshTarget): string {
  const address = target.port === 22 ? target.host : `[${target.host}]:${target.port}`;
  return target.alias === target.host ? address : `${target.alias} (${address})`;
}

function place(line: KnownHostLine): string {
  return `${line.file}:${line.line}`;
}

/** `ED25519 SHA256:…`, as ssh prints it. */
export function describeKey(key: Buffer): string {
  const type = publicKeyType(key) ?? "unknown";
  const name = type.startsWith("ecdsa") ? "ECDSA" : type.replace(/^ssh-/, "").toUpperCase();
  return `${name} ${fingerprintOf(key)}`;
}
