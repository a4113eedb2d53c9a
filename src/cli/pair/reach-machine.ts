import type { Paths } from "../../core/paths.ts";
import { plainLine } from "../../core/plain-text.ts";
import { type PeerConfig, readConfig } from "../../daemon/config.ts";
import { releasesPlace } from "../../daemon/releases.ts";
import { ownExecutable } from "../../ship/own-executable.ts";
import type { PushProgress } from "../../ship/push.ts";
import { startServe } from "../../ship/start-serve.ts";
import { connectSsh } from "../../ssh/connect.ts";
import { resolveTarget, type SshTarget } from "../../ssh/ssh-target.ts";
import type { PairReporter } from "./push-progress.ts";

export interface ReachedMachine {
  /** Whether the executable had to be sent. */
  readonly pushed: boolean;
}

export interface ReachOptions {
  readonly paths: Paths;
  readonly reporter: PairReporter;
  /** Of host keys that the person has compared. */
  readonly acceptedFingerprints: readonly string[];
}

/**
 * Proves that this machine can reach `host` and run this program there, sending it if need be, and leaves nothing open. Rejects
 * with what stood in the way: a code of ssh/ or ship/.
 */
export async function reachMachine({ host, transport }: PeerConfig, options: ReachOptions): Promise<ReachedMachine> {
  const { paths, reporter, acceptedFingerprints } = options;
  const target = await resolveTarget(host, { env: process.env });
  const executable = await ownExecutable();
  reporter.connecting(describeTarget(target));
  try {
    const connection = await connectSsh(target, { transport, acceptedFingerprints, env: process.env });
    try {
      const onProgress = (progress: PushProgress) => reporter.progress(progress);
      const releases = releasesPlace(readConfig(paths), process.env);
      const serve = await startServe(connection, { executable, cacheDirectory: paths.cache, onProgress, releases });
      await serve.close();
      return { pushed: serve.pushed };
    } finally {
      connection.close();
    }
  } finally {
    reporter.end();
  }
}

function describeTarget({ user, host, port }: SshTarget): string {
  return plainLine(port === 22 ? `${user}@${host}` : `${user}@${host}, port ${port}`);
}
