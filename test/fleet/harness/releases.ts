import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { findTarget } from "../../../build/targets.ts";
import type { Network } from "../../hosts/harness/network.ts";
import { copySource } from "../../support/copy-source.ts";
import { noRelease, readManifest, releaseDirectory } from "../../support/release-directory.ts";

/** What the next version of this program is called in tests. */
export const NEXT_VERSION = "99.0.0";

const own = findTarget(undefined);
const nextRelease = path.join(releaseDirectory, "..", `release-${NEXT_VERSION}`);

export const version = noRelease ? "" : readManifest().version;
export const archive = (of: string) => `ccm-${of}-${own.name}.tar.gz`;

/**
 * A site on the network's own directory, laid out as forges do: the release of this program, and as the latest one the same with
 * another version, which is built for it the first time.
 */
export function makeSite(network: Network): string {
  const site = path.join(network.directory, "site");
  buildNextRelease();
  for (const [directory, files] of [
    [`download/v${version}`, releaseDirectory],
    [`download/v${NEXT_VERSION}`, nextRelease],
    ["latest/download", nextRelease],
  ] as const) {
    const of = files === releaseDirectory ? version : NEXT_VERSION;
    for (const name of [archive(of), "manifest.json", "SHA256SUMS", "install.sh"])
      network.share(path.join(files, name), path.join("site", directory, name));
  }
  return site;
}

/** Kept beside the release it was made with, for all tests of a run. */
function buildNextRelease(): void {
  const stamp = path.join(nextRelease, "made-with");
  const made =
    readManifest().commit +
    readManifest()
      .artefacts.map(({ sha256 }) => sha256)
      .join();
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === made) return;
  using copy = copySource();
  const manifest = path.join(copy.directory, "package.json");
  fs.writeFileSync(manifest, fs.readFileSync(manifest, "utf8").replace(/"version": "[^"]+"/, `"version": "${NEXT_VERSION}"`));
  fs.rmSync(nextRelease, { recursive: true, force: true });
  const words = ["build/release.ts", "--build", "--target", own.name, "--output", nextRelease];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: copy.directory, encoding: "utf8" });
  if (status !== 0) throw new Error(`the next version cannot be built: ${stderr}`);
  fs.writeFileSync(stamp, made);
}
