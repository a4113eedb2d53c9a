import fs from "node:fs";
import path from "node:path";
import { CcmError } from "../core/errors.ts";
import { ensurePrivateDirectory } from "../core/private-file.ts";
import { artefactsDirectory, findArtefact } from "./artefacts.ts";
import type { OwnExecutable } from "./own-executable.ts";
import { findRelease } from "./release/find-release.ts";
import { unavailable } from "./release/release-source.ts";
import { unpackExecutable } from "./release/unpack-executable.ts";

export interface FetchArtefactOptions {
  readonly own: OwnExecutable;
  /** `paths.cache`. */
  readonly cacheDirectory: string;
  /** An https address or a directory. */
  readonly releases: string;
}

/**
 * Gets this version's executable for another platform from where the releases are, and keeps it with its checksum where
 * {@link findArtefact} looks. Nothing is there under its name before it is what the release's manifest says. Rejects as `ccm update` does.
 */
export async function fetchArtefact(platform: string, options: FetchArtefactOptions): Promise<OwnExecutable | undefined> {
  const { own, cacheDirectory, releases } = options;
  const { source, artefact } = await findRelease(releases, own.version, platform);
  const archive = await source.open(artefact.file);
  if (!archive) throw unavailable(`${source.place} has no ${artefact.file}`);
  const directory = artefactsDirectory(cacheDirectory);
  const file = path.join(directory, `ccm-${own.version}-${platform}`);
  const incoming = `${file}.incoming-${process.pid}`;
  try {
    ensurePrivateDirectory(directory);
    await unpackExecutable(archive, artefact, incoming);
    fs.renameSync(incoming, file);
    fs.writeFileSync(`${file}.sha256`, `${artefact.executable.sha256}  ${path.basename(file)}\n`, { mode: 0o600 });
  } catch (error) {
    throw error instanceof CcmError
      ? error
      : new CcmError("release_unavailable", `cannot keep ${file}: ${String(error)}`, { cause: error });
  } finally {
    fs.rmSync(incoming, { force: true });
  }
  return findArtefact(platform, options);
}
