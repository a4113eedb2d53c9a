import path from "node:path";
import { CcmError } from "../core/errors.ts";
import { inThrowawayDirectory, type ThrowawayResult } from "../core/in-throwaway-directory.ts";
import type { Check, Stage } from "./check.ts";
import { openStage } from "./open-stage.ts";
import { Unchecked } from "./outcome.ts";
import { type CheckResult, runChecks } from "./run-checks.ts";
import { LONGEST_SOCKET, SYSTEM_PATH } from "./selftest-home.ts";
import { findScript } from "./terminal.ts";

export interface SelftestOptions {
  /** The executable of Claude Code. */
  readonly claude: string;
  readonly checks: readonly Check[];
  readonly onResult: (result: CheckResult) => void;
}

export interface SelftestReport {
  /** Of Claude Code, as its own record says. */
  readonly version: string;
  readonly results: readonly CheckResult[];
}

/**
 * Starts sessions of Claude Code in a throwaway home, makes the checks, and removes it all. Undefined if a person ended it. Rejects with
 * `selftest_unavailable` if no session comes up here, saying what is missing.
 */
export async function runSelftest({ claude, checks, onResult }: SelftestOptions): Promise<ThrowawayResult<SelftestReport>> {
  const script = findScript([process.env.PATH, ...SYSTEM_PATH].join(path.delimiter));
  if (script === undefined) {
    throw new CcmError("selftest_unavailable", "there is no script command here, which gives Claude Code the terminal that it needs", {
      hint: "install util-linux (bsdutils on Debian, util-linux-script on Fedora)",
    });
  }
  return await inThrowawayDirectory({ prefix: "ccm-selftest-", longestSocket: LONGEST_SOCKET }, async (directory, signal) => {
    await using resources = new AsyncDisposableStack();
    // Also ends what still waits when something has failed.
    const over = new AbortController();
    resources.defer(() => over.abort());
    const stage = await openStageOrSay({ directory, claude, script, signal: AbortSignal.any([signal, over.signal]) }, resources);
    const version = stage.asking.record.version ?? "of an unknown version";
    return { version, results: await runChecks(stage, checks, onResult) };
  });
}

async function openStageOrSay(options: Parameters<typeof openStage>[0], resources: AsyncDisposableStack): Promise<Stage> {
  try {
    return await openStage(options, resources);
  } catch (error) {
    if (!(error instanceof Unchecked)) throw error;
    throw new CcmError("selftest_unavailable", error.message, { hint: `start ${options.claude} yourself and see`, cause: error });
  }
}
