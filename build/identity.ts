import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { root } from "./runtime.ts";

/** Stands in the bundles where the build id goes, which is a hash over these bundles. Of the id's own length. */
export const BUILD_ID_PLACEHOLDER = "@build-id-@@";

export function packageVersion(): string {
  return (JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as { version: string }).version;
}

/** The checkout's commit, `-dirty` where tracked files differ from it; in an unpacked archive `CCM_COMMIT`, else `unknown`. */
export function commit(): string {
  const given = process.env["CCM_COMMIT"];
  if (given) return given;
  const head = git("rev-parse", "--short=10", "HEAD");
  if (head === undefined) return "unknown";
  return git("status", "--porcelain", "--untracked-files=no") === "" ? head : `${head}-dirty`;
}

/** 12 hex digits over everything that makes the program what it is. */
export function hashOf(parts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest("hex").slice(0, BUILD_ID_PLACEHOLDER.length);
}

/** When the checkout's commit was made; `SOURCE_DATE_EPOCH` wins, and an unpacked archive without it is of 1980. */
export function commitTimeSeconds(): number {
  return Number(process.env["SOURCE_DATE_EPOCH"] || git("log", "-1", "--format=%ct") || 315_532_800);
}

/** Where executables and `install.sh` of this build look for releases: `CCM_RELEASES` of the one who builds, or nowhere. */
export function defaultReleases(): string {
  const releases = process.env["CCM_RELEASES"] ?? "";
  if (/["$`\\\s]/.test(releases)) throw new Error(`${releases} cannot be an address of releases`);
  return releases;
}

function git(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync("git", ["-C", root, ...args], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}
