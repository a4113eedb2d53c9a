import type { KnownHosts } from "./known-hosts.ts";

/** The signature algorithms for each type of host key that are still good enough; the order is OpenSSH's. */
const algorithmsOf: Readonly<Record<string, readonly string[]>> = {
  "ssh-ed25519": ["ssh-ed25519"],
  "ecdsa-sha2-nistp256": ["ecdsa-sha2-nistp256"],
  "ecdsa-sha2-nistp384": ["ecdsa-sha2-nistp384"],
  "ecdsa-sha2-nistp521": ["ecdsa-sha2-nistp521"],
  "ssh-rsa": ["rsa-sha2-512", "rsa-sha2-256"],
};

/**
 * What to ask the server for: within the configuration's wishes, first the types of key that known_hosts has for this host, so that
 * a server with several keys shows the one that can be checked.
 */
export function hostKeyAlgorithms(known: KnownHosts, wished: readonly string[] | undefined): string[] {
  const supported = Object.values(algorithmsOf).flat();
  const allowed = wished === undefined ? supported : wished.filter((name) => supported.includes(name));
  const knownTypes = new Set(
    [...known.lines, ...known.portlessLines].filter((line) => line.marker === undefined).map((line) => line.keyType),
  );
  const first = Array.from(knownTypes).flatMap((type) => algorithmsOf[type] ?? []);
  return [...allowed.filter((name) => first.includes(name)), ...allowed.filter((name) => !first.includes(name))];
}
