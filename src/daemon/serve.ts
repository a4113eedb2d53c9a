import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { buildInfo } from "../core/build-info.ts";
import { CcmError, toCcmError } from "../core/errors.ts";
import { type Paths, resolvePaths } from "../core/paths.ts";
import { askDaemon } from "./control-client.ts";
import { connectOrStartDaemon } from "./ensure-daemon.ts";

const YIELD_MS = 2_000;

/**
 * `ccm serve --nonce HEX`: what ssh starts on the answering machine. It joins its stdio to the daemon of that machine and knows
 * nothing more, so that a broken ssh connection takes no state with it. The nonce line tells the dialler where the link begins,
 * whatever a login shell has printed before.
 */
export async function serve(words: readonly string[]): Promise<void> {
  try {
    const { values } = parseArgs({ args: [...words], options: { nonce: { type: "string" } } });
    if (!values.nonce || !/^[0-9a-f]{8,64}$/.test(values.nonce)) throw new CcmError("usage", "serve needs --nonce with 8 to 64 hex digits");
    const paths = resolvePaths();
    await askOlderBuildToYield(paths);
    const daemon = await connectOrStartDaemon(paths, process.env);
    process.stdout.write(`ccm-${values.nonce}\n`);
    daemon.write('{"op":"link"}\n');
    // Either end's end is the end of both.
    await Promise.race([pipeline(process.stdin, daemon), pipeline(daemon, process.stdout)]).catch(() => undefined);
    process.exit(0);
  } catch (error) {
    const { message, exitCode } = toCcmError(error);
    process.stderr.write(`ccm serve: ${message}\n`, () => process.exit(exitCode));
  }
}

/** So that a machine which is only ever dialled gets the build that was brought to it. Without a daemon, or with a busy one, all is well. */
async function askOlderBuildToYield(paths: Paths): Promise<void> {
  const { version, buildId } = buildInfo;
  await askDaemon(paths, { op: "yield", version, buildId }, { timeoutMs: YIELD_MS }).catch(() => undefined);
}
