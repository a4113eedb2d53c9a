import { chooseTransport } from "./choose-transport.ts";
import type { SshTarget } from "./ssh-target.ts";
import { connect as connectSsh2 } from "./ssh2/connect.ts";
import type { ConnectOptions, SshConnection } from "./transport.ts";

/**
 * Connects and authenticates, without ever asking anybody anything. The host key has been found in a known_hosts file before the
 * first credential is shown. Rejects with one of the codes of "Reaching the other machine", or `timeout`; nothing is left open then.
 */
export async function connectSsh(target: SshTarget, options: ConnectOptions = {}): Promise<SshConnection> {
  options.signal?.throwIfAborted();
  chooseTransport(target);
  return connectSsh2(target, options);
}
