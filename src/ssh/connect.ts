import { toCcmError } from "../core/errors.ts";
import { chooseTransport } from "./choose-transport.ts";
import type { SshTarget } from "./ssh-target.ts";
import { connect as connectSsh2 } from "./ssh2/connect.ts";
import { isNegotiationFailure } from "./ssh2/handshake-error.ts";
import { connect as connectSystemSsh } from "./system-ssh/connect.ts";
import type { ConnectOptions, ConnectTransport, SshConnection, TransportName } from "./transport.ts";

export interface ConnectSshOptions extends ConnectOptions {
  /** What the person asked for; chosen by itself otherwise. */
  readonly transport?: TransportName | undefined;
}

const transports: Readonly<Record<TransportName, ConnectTransport>> = { ssh: connectSystemSsh, ssh2: connectSsh2 };

/**
 * Connects and authenticates, without ever asking anybody anything. The host key has been found in a known_hosts file before the
 * first credential is shown. Rejects with one of the codes of "Reaching the other machine", or `timeout`; nothing is left open then.
 */
export async function connectSsh(target: SshTarget, { transport, ...options }: ConnectSshOptions = {}): Promise<SshConnection> {
  options.signal?.throwIfAborted();
  const { name } = await chooseTransport(target, { wish: transport, env: options.env ?? process.env });
  options.signal?.throwIfAborted();
  if (name === "ssh" && options.acceptedFingerprints?.length) await learnHostKeys(target, options);
  try {
    return await transports[name](target, options);
  } catch (error) {
    const canHelp = name === "ssh2" && transport === undefined && target.resolvedBy === "ssh";
    // Only now is it known that the server takes no algorithm that ssh2 has.
    if (!canHelp || !isNegotiationFailure(toCcmError(error))) throw error;
    return await transports.ssh(target, options);
  }
}

/** The system's ssh shows no key before it has decided: ssh2 looks at it first, and how it fares after that does not matter. */
async function learnHostKeys(target: SshTarget, options: ConnectOptions): Promise<void> {
  try {
    const connection = await transports.ssh2(target, options);
    connection.close();
    await connection.closed;
  } catch (error) {
    if (/^(host_key_|known_hosts_)/.test(toCcmError(error).code)) throw error;
  }
}
