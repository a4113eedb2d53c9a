import path from "node:path";
import { CcmError } from "../../core/errors.ts";
import type { Paths } from "../../core/paths.ts";
import { ensurePrivateDirectory } from "../../core/private-file.ts";
import { takeKernelLock } from "../../daemon/kernel-lock.ts";
import { findRelease } from "../../ship/release/find-release.ts";
import { unavailable } from "../../ship/release/release-source.ts";
import { unpackExecutable } from "../../ship/release/unpack-executable.ts";
import { isNewer } from "./compare-versions.ts";
import { InstalledExecutable } from "./installed-executable.ts";

export interface Wanted {
  readonly current: string;
  readonly releases: string;
  /** A certain one, also an older one; the newest if left out. */
  readonly version: string | undefined;
}

/**
 * Installs the wanted release over `file`. `version` is undefined where it is there already, or nothing newer is. One update of a
 * user at a time: a second one rejects with `already_running`.
 */
export async function updateExecutable(
  file: string,
  paths: Paths,
  wanted: Wanted,
): Promise<{ readonly version: string | undefined; readonly available: string }> {
  const installed = new InstalledExecutable(file, paths);
  const release = await findRelease(wanted.releases, wanted.version, `${process.platform}-${process.arch}`);
  const { version: available, source, artefact } = release;
  const isWanted = wanted.version === undefined ? isNewer(available, wanted.current) : available !== wanted.current;
  if (!isWanted) return { version: undefined, available };
  const version = await alone(paths, async () => {
    const archive = await source.open(artefact.file);
    if (!archive) throw unavailable(`${source.place} has no ${artefact.file}`);
    return versionIn(await installed.replace((incoming) => unpackExecutable(archive, artefact, incoming)));
  });
  return { version, available };
}

/** Back to what was there before the last update; returns its version. */
export async function rollBackExecutable(file: string, paths: Paths): Promise<string> {
  return await alone(paths, async () => versionIn(await new InstalledExecutable(file, paths).rollBack()));
}

async function alone<Result>(paths: Paths, work: () => Promise<Result>): Promise<Result> {
  ensurePrivateDirectory(paths.cache);
  const lock = takeKernelLock(path.join(paths.cache, "update.lock"), { waitMs: 0 });
  if (!lock)
    throw new CcmError("already_running", "another update of ccm is under way", { hint: "wait for it to end, then see ccm --version" });
  try {
    return await work();
  } finally {
    lock.release();
  }
}

function versionIn(versionLine: string): string {
  return versionLine.split(" ")[1] ?? versionLine;
}
