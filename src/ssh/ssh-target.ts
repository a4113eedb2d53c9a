import { readSshConfiguration } from "./ssh-configuration.ts";
import { defaultTarget, targetFromConfiguration } from "./target-from-configuration.ts";
import { parseTypedHost } from "./typed-host.ts";

/** Another machine and how to reach it: what was typed, resolved by the ssh configuration of the person who typed it. */
export interface SshTarget {
  readonly typed: string;
  /** The host as typed, without user and port: what the configuration's `Host` patterns were matched against. */
  readonly alias: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** 4 or 6 where only that family may be used. */
  readonly addressFamily: 4 | 6 | undefined;
  /** Absolute paths, in the order of the configuration; those that do not exist are kept. */
  readonly identityFiles: readonly string[];
  readonly identitiesOnly: boolean;
  /** The agent's socket: "none" for no agent, undefined for the one that SSH_AUTH_SOCK names. */
  readonly identityAgent: string | undefined;
  /** The user's own first. */
  readonly knownHostsFiles: readonly string[];
  readonly hostKeyAlias: string | undefined;
  /** The configuration's list, best first; undefined for no wish. */
  readonly hostKeyAlgorithms: readonly string[] | undefined;
  readonly publicKeyAlgorithms: readonly string[] | undefined;
  readonly connectTimeoutMs: number | undefined;
  readonly proxyJump: string | undefined;
  readonly proxyCommand: string | undefined;
  /** Keywords of the configuration that bear on trust or on the route, with their values, for the choice of the transport. */
  readonly otherSettings: ReadonlyMap<string, string>;
}

export interface ResolveOptions {
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Resolves what a person typed by `ssh -G`, so that host, user, port and keys are those of the system's ssh; where there is no
 * ssh, by ssh's own defaults. Throws `usage` for what cannot be a host, before anything runs, and `ssh_failed` with ssh's words for a
 * configuration that ssh itself refuses.
 */
export async function resolveTarget(typed: string, options: ResolveOptions = {}): Promise<SshTarget> {
  const env = options.env ?? process.env;
  const host = parseTypedHost(typed);
  const configuration = await readSshConfiguration(host, env);
  return configuration ? targetFromConfiguration(typed, host, configuration, env) : defaultTarget(typed, host, env);
}
