import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { type Artefact, releaseManifest } from "../../build/release-manifest.ts";
import { tarArchive } from "../../build/tar-archive.ts";
import { findTarget } from "../../build/targets.ts";

export interface SmallRelease {
  readonly directory: string;
  readonly archive: string;
}

/**
 * A release directory for this machine as the build lays it out, whose `ccm` is a script: it says its version, unless told otherwise, and then runs `script`. Or it is
 * those bytes.
 */
export function smallRelease(
  directory: string,
  version: string,
  script: string | Buffer = "",
  { startsWithVersion = true } = {},
): SmallRelease {
  const target = findTarget(undefined);
  const folder = `ccm-${version}-${target.name}`;
  const versionLine = `if [ "$1" = --version ]; then echo "ccm ${version} (commit abc, build ${version})"; exit; fi\n`;
  const text = `#!/bin/sh\n${startsWithVersion ? versionLine : ""}${script}\n`;
  const content = typeof script === "string" ? Buffer.from(text) : script;
  const archive = gzipSync(tarArchive([{ name: `${folder}/ccm`, mode: 0o755, content }], 315_532_800));
  const file = `${folder}.tar.gz`;
  const executable = { bytes: content.length, sha256: sha256(content) };
  const artefact: Artefact = { target, file, bytes: archive.length, sha256: sha256(archive), executable };
  const manifest = releaseManifest({ version, commit: "abc", builtAt: new Date(0), runtimeVersion: "26.10.0", artefacts: [artefact] });
  fs.mkdirSync(directory, { recursive: true });
  fs.writeFileSync(path.join(directory, file), archive);
  fs.writeFileSync(path.join(directory, "manifest.json"), JSON.stringify(manifest));
  writeChecksums(directory);
  return { directory, archive: path.join(directory, file) };
}

/** Writes SHA256SUMS of what is in the directory now. */
export function writeChecksums(directory: string): void {
  const names = fs.readdirSync(directory).filter((name) => name !== "SHA256SUMS");
  const lines = names.map((name) => `${sha256(fs.readFileSync(path.join(directory, name)))}  ${name}\n`);
  fs.writeFileSync(path.join(directory, "SHA256SUMS"), lines.join(""));
}

/** Changes one byte in the middle of a file. */
export function flipByte(file: string): void {
  const content = fs.readFileSync(file);
  const at = content.length >> 1;
  content[at] = (content[at] ?? 0) ^ 1;
  fs.writeFileSync(file, content);
}

export const installScript = path.join(import.meta.dirname, "..", "..", "scripts", "install.sh");

/** Runs install.sh as a person with this home would. */
export function runInstall(home: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync("/bin/sh", [installScript, ...args], {
    encoding: "utf8",
    timeout: 20_000,
    env: { HOME: home, PATH: "/usr/bin:/bin", ...env },
  });
  return { status, stdout, stderr };
}

function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
