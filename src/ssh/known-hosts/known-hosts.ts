import fs from "node:fs";
import { CcmError, systemErrorCode } from "../../core/errors.ts";
import type { SshTarget } from "../ssh-target.ts";
import { matchesHosts } from "./match-hosts.ts";
import { type KnownHostLine, parseKnownHosts } from "./parse-known-hosts.ts";

/** Everything that the known_hosts files say about one target. */
export interface KnownHosts {
  /** The name that was looked up, and that `ssh-keygen -R` takes. */
  readonly name: string;
  /** Lines of that name, markers included. */
  readonly lines: readonly KnownHostLine[];
  /** Where the port is not 22: lines of the bare host name. One with the very key that is shown vouches for it, as with OpenSSH. */
  readonly portlessLines: readonly KnownHostLine[];
}

/**
 * Reads all known_hosts files of a target. A missing file is an empty one; throws `known_hosts_unreadable` for one that is there and
 * cannot be read, since a revocation could stand in it.
 */
export function readKnownHosts(target: SshTarget): KnownHosts {
  const lines = target.knownHostsFiles.flatMap(readFile);
  const host = (target.hostKeyAlias ?? target.host).toLowerCase();
  const name = target.hostKeyAlias === undefined && target.port !== 22 ? `[${host}]:${target.port}` : host;
  return {
    name,
    lines: lines.filter((line) => matchesHosts(line.hosts, name)),
    portlessLines: name === host ? [] : lines.filter((line) => matchesHosts(line.hosts, host)),
  };
}

function readFile(file: string): KnownHostLine[] {
  try {
    return parseKnownHosts(file, fs.readFileSync(file, "utf8"));
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT" || systemErrorCode(error) === "ENOTDIR") return [];
    throw new CcmError("known_hosts_unreadable", `cannot read ${file} (${systemErrorCode(error) ?? "unknown error"})`, {
      hint: `make ${file} a file that you can read; without it no host can be trusted`,
      cause: error,
    });
  }
}
