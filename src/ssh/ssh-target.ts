import { CcmError } from "../core/errors.ts";
import { evaluateConfigFiles } from "./config-files/evaluate-config-files.ts";
import { expandHostTokens } from "./expand-tokens.ts";
import { readSshConfiguration } from "./ssh-configuration.ts";
import { targetFromConfiguration } from "./target-from-configuration.ts";
import { parseTypedHost } from "./typed-host.ts";

/** Another machine and how to reach it: what was typed, resolved by the ssh configuration of the person who typed it. */
export interface SshTarget {
  readonly typed: string;
  /** Whose reading of the configuration this is: the `ssh` command's, or our own where there is no such command; `defaults` is none at all. */
  readonly resolvedBy: "ssh" | "ssh-config" | "defaults";
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
  /** As configured, and taken apart in `via`. */
  readonly proxyJump: string | undefined;
  /** The machine whose sshd opens the way to this one, itself resolved by the configuration; undefined for a way of our own. */
  readonly via: SshTarget | undefined;
  /** With its tokens still in it. Counts only where there is no `via`. */
  readonly proxyCommand: string | undefined;
  /** Keywords of the configuration that bear on trust or on the route, with their values, for the choice of the transport. */
  readonly otherSettings: ReadonlyMap<string, string>;
}

export interface ResolveOptions {
  readonly env?: NodeJS.ProcessEnv;
}

/** Longer chains than anybody has; a configuration that leads round in a circle has no end. */
const MAX_HOPS = 8;

/**
 * Resolves what a person typed by `ssh -G`, so that host, user, port, keys and jumps are those of the system's ssh; where there is no
 * ssh, by a reading of its files that refuses what it does not understand. Rejects with `usage` for what cannot be a host, before anything runs, and `ssh_failed` with ssh's words
 * for a configuration that ssh itself refuses; `ssh_config_unsupported` for jumps without an end.
 */
export function resolveTarget(typed: string, options: ResolveOptions = {}): Promise<SshTarget> {
  return resolveHop(typed, { env: options.env ?? process.env, jumps: [], hops: 0 });
}

interface HopOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The part of somebody's ProxyJump that leads to this hop. It wins over what the hop's own configuration says. */
  readonly jumps: readonly string[];
  readonly hops: number;
}

async function resolveHop(typed: string, { env, jumps, hops }: HopOptions): Promise<SshTarget> {
  const target = await resolveAlone(typed, env, jumps.length > 0);
  const chain = jumps.length > 0 ? jumps : (target.proxyJump?.split(",") ?? []).map((hop) => expandHostTokens(hop.trim(), target));
  const last = chain.at(-1);
  if (last === undefined) return target;
  if (hops === MAX_HOPS) throw tooManyHops(typed);
  return { ...target, via: await resolveHop(last, { env, jumps: chain.slice(0, -1), hops: hops + 1 }) };
}

async function resolveAlone(typed: string, env: NodeJS.ProcessEnv, isReachedByJumps: boolean): Promise<SshTarget> {
  const host = parseTypedHost(typed);
  const configuration = await readSshConfiguration(host, env, { isReachedByJumps });
  if (configuration) return targetFromConfiguration(typed, host, configuration, env, "ssh");
  return targetFromConfiguration(typed, host, await evaluateConfigFiles(host, { env, isReachedByJumps }), env, "ssh-config");
}

function tooManyHops(typed: string): CcmError {
  return new CcmError("ssh_config_unsupported", `ProxyJump leads on and on: the ${MAX_HOPS}th hop is ${typed}`, {
    hint: "give the jump host itself ProxyJump none in ~/.ssh/config",
  });
}
