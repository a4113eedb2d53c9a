import { createHash, createHmac, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { CcmError, systemErrorCode } from "../../core/errors.ts";
import type { SshTarget } from "../ssh-target.ts";
import { readKnownHosts } from "./known-hosts.ts";
import { publicKeyType } from "./parse-known-hosts.ts";

/** `SHA256:` and the digest as ssh prints it; `ssh-keygen -lf` prints the same on the host itself. */
export function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
}

/** What a person typed for a fingerprint in ssh's spelling, or undefined if it is none. */
export function parseFingerprint(text: string): string | undefined {
  const [, digest] = /^(?:SHA256:)?([A-Za-z0-9+/]{43})=?$/.exec(text.trim()) ?? [];
  return digest === undefined ? undefined : `SHA256:${digest}`;
}

/**
 * Adds a key that a person has vouched for to the first known_hosts file of the target, under the name that is looked up and hashed where
 * the configuration wishes it. Throws `known_hosts_unreadable` where it cannot be kept.
 */
export function rememberHostKey(target: SshTarget, key: Buffer): void {
  const file = target.knownHostsFiles[0];
  if (file === undefined) throw notKept("the ssh configuration names no known_hosts file", target);
  const { name } = readKnownHosts(target);
  const host = target.otherSettings.get("hashknownhosts") === "yes" ? hashed(name) : name;
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const separator = fs.existsSync(file) && !/(^|\n)$/.test(fs.readFileSync(file, "utf8")) ? "\n" : "";
    fs.appendFileSync(file, `${separator}${host} ${publicKeyType(key)} ${key.toString("base64")}\n`, { mode: 0o600 });
  } catch (error) {
    throw notKept(`cannot write ${file} (${systemErrorCode(error) ?? "unknown error"})`, target, error);
  }
  const isKept = readKnownHosts(target).lines.some((line) => line.marker === undefined && line.key.equals(key));
  if (!isKept) throw notKept(`${file} does not keep what is written to it`, target);
}

function hashed(name: string): string {
  const salt = randomBytes(20);
  return `|1|${salt.toString("base64")}|${createHmac("sha1", salt).update(name).digest("base64")}`;
}

function notKept(reason: string, target: SshTarget, cause?: unknown): CcmError {
  return new CcmError("known_hosts_unreadable", `the host key of ${target.alias} cannot be accepted: ${reason}`, {
    hint: "give it a UserKnownHostsFile that you can write in ~/.ssh/config",
    cause,
  });
}
