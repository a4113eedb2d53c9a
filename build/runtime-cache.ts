import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { PinnedRuntime } from "./runtime.ts";

/** 57 MB on a slow line. */
const FETCH_DEADLINE_MS = 600_000;

const run = promisify(execFile);

/** Outside the checkout: runtimes outlive it, and other checkouts share them. */
function cacheDirectory(): string {
  return path.join(process.env["XDG_CACHE_HOME"] || path.join(os.homedir(), ".cache"), "ccm-build");
}

function directoryOf({ target, version }: PinnedRuntime): string {
  return path.join(cacheDirectory(), `${target.runtimePackage}-${version}`);
}

/** Where the runtime lies that an earlier build fetched, if one did. Only what was verified gets that name. */
export function cachedRuntime(pinned: PinnedRuntime): string | undefined {
  const directory = directoryOf(pinned);
  return fs.existsSync(path.join(directory, pinned.target.runtimeFile)) ? directory : undefined;
}

/**
 * Fetches another platform's runtime with npm as it is configured here, verifies it against package-lock.json, and keeps the
 * runtime and its licence. Rejects in one line where npm cannot reach its registry, or brings something else.
 */
export async function fetchRuntime(pinned: PinnedRuntime): Promise<string> {
  const wanted = `${pinned.target.runtimePackage}@${pinned.version}`;
  const directory = directoryOf(pinned);
  const incoming = path.join(cacheDirectory(), `.incoming-${randomBytes(6).toString("hex")}`);
  fs.mkdirSync(incoming, { recursive: true });
  try {
    const archive = await pack(wanted, incoming);
    verify(wanted, archive, pinned.integrity);
    await run("tar", ["-xzf", archive, "-C", incoming, "package/LICENSE", `package/${pinned.target.runtimeFile}`]);
    // Another build may have been faster; both brought the same.
    if (!cachedRuntime(pinned)) fs.renameSync(path.join(incoming, "package"), directory);
    return directory;
  } finally {
    fs.rmSync(incoming, { recursive: true, force: true });
  }
}

async function pack(wanted: string, directory: string): Promise<string> {
  try {
    const args = ["pack", wanted, "--pack-destination", directory, "--loglevel=error", "--ignore-scripts"];
    const { stdout } = await run("npm", args, { timeout: FETCH_DEADLINE_MS, maxBuffer: 16 * 1024 * 1024 });
    return path.join(directory, stdout.trim().split("\n").at(-1) ?? "");
  } catch (error) {
    throw new Error(`npm cannot fetch ${wanted} (${reasonOf(error)}): build once where npm reaches its registry; it is kept then`);
  }
}

function reasonOf(error: unknown): string {
  const said = String((error as { stderr?: string }).stderr ?? "");
  return (/npm (?:error|ERR!) code (\S+)/.exec(said)?.[1] ?? said.split("\n")[0]) || String((error as Error).message).split("\n")[0] || "";
}

/** Throws unless the archive is the one that package-lock.json was written with. */
export function verify(wanted: string, archive: string, integrity: string): void {
  const [algorithm = "", expected = ""] = integrity.split(/-(.*)/s);
  const found = createHash(algorithm).update(fs.readFileSync(archive)).digest("base64");
  if (found !== expected) throw new Error(`${wanted} is not what package-lock.json pins: ${algorithm}-${found.slice(0, 16)}…`);
}
