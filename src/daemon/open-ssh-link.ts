import type { Log } from "../core/log.ts";
import { plainLine } from "../core/plain-text.ts";
import type { LinkStream } from "../link/connection.ts";
import { ownExecutable } from "../ship/own-executable.ts";
import { startServe } from "../ship/start-serve.ts";
import { connectSsh } from "../ssh/connect.ts";
import { resolveTarget } from "../ssh/ssh-target.ts";
import type { TransportName } from "../ssh/transport.ts";

export interface OpenSshLinkOptions {
  readonly host: string;
  /** As set for this peer; chosen by its ssh configuration otherwise. */
  readonly transport: TransportName | undefined;
  readonly cacheDirectory: string;
  /** Where releases are, if known. */
  readonly releases: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Bounds the wait for the network; as configured unless told otherwise. */
  readonly connectMs: number | undefined;
  readonly log: Log;
}

/** The byte stream to the daemon of another machine: ssh to it, our executable there, and its `serve`. */
export async function openSshLink(options: OpenSshLinkOptions): Promise<LinkStream> {
  const { host, transport, cacheDirectory, releases, environment, signal, connectMs, log } = options;
  const target = await resolveTarget(host, { env: environment });
  const connection = await connectSsh(target, {
    transport,
    signal,
    env: environment,
    ...(connectMs !== undefined && { timeouts: { connectMs } }),
  });
  try {
    const serve = await startServe(connection, { executable: await ownExecutable(), cacheDirectory, releases, signal });
    log.info(`${connection.description}: serve started${serve.pushed ? ", after the executable was sent" : ""}`);
    if (serve.noise.trim() !== "") log.info(`${host}: skipped what its login shell prints: ${plainLine(serve.noise, 120)}`);
    const close = () => void serve.close().finally(() => connection.close());
    void connection.closed.then(() => serve.readable.destroy());
    return { readable: serve.readable, writable: serve.writable, close };
  } catch (error) {
    connection.close();
    throw error;
  }
}
