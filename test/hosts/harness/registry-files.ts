import type { Host } from "./host.ts";

/** A registry record on a host, as its file says; more fields than these. */
export interface HostRecord {
  readonly pid: number;
  readonly sessionId?: string;
  readonly name?: string;
  readonly messagingSocketPath?: string;
  readonly status?: string;
  /** `claude-code-message` in the record of a mirror. */
  readonly agent?: string;
  readonly [field: string]: unknown;
}

/** The records of a host's person, reachable or not; what cannot be read is left out. */
export function readRecords(host: Host, configDirectory = `${host.home}/.claude`): HostRecord[] {
  const directory = `${configDirectory}/sessions`;
  return host
    .list(directory)
    .filter((name) => name.endsWith(".json"))
    .map((name) => readRecord(host, `${directory}/${name}`))
    .filter((record) => record !== undefined);
}

/** The mirrors on a host that a session there could write to now, by name. */
export function mirrorNames(host: Host): string[] {
  return readRecords(host)
    .filter(({ agent, messagingSocketPath, pid }) => agent === "claude-code-message" && messagingSocketPath && host.isRunning(pid))
    .map(({ name = "" }) => name)
    .sort();
}

/** Records, keys and sockets on a host whose process does not run any more, and mirrors of which something is missing. */
export function registryRemains(host: Host, configDirectory = `${host.home}/.claude`): string[] {
  const directories = [`${configDirectory}/sessions`, "/run/user/1500/cc-socks", "/tmp/cc-socks", "/tmp/cc-socks-1500"];
  return directories.flatMap((directory) =>
    host
      .list(directory)
      .filter((name) => !host.isRunning(Number.parseInt(name.replace(/^\./, ""), 10)))
      .map((name) => `${directory}/${name}`),
  );
}

function readRecord(host: Host, file: string): HostRecord | undefined {
  try {
    return JSON.parse(host.readFile(file));
  } catch {
    // It is being written, or has just gone.
    return undefined;
  }
}
