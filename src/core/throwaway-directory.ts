import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { CcmError } from "./errors.ts";
import { MAX_SOCKET_PATH_BYTES } from "./paths.ts";

const PROBE_TIMEOUT_MS = 5_000;

export interface ThrowawayOptions {
  /** What its name begins with. */
  readonly prefix: string;
  /** What the longest socket path has behind the directory. */
  readonly longestSocket: string;
  readonly places?: readonly string[];
}

/**
 * A new directory for this user alone, with a path short enough for sockets, on a disk that runs programs. Throws `state_unusable`
 * saying what is wrong with each place that was tried.
 */
export function makeThrowawayDirectory({ prefix, longestSocket, places = [os.tmpdir(), "/tmp", "/var/tmp"] }: ThrowawayOptions): string {
  const refusals: string[] = [];
  for (const place of new Set(places)) {
    const made = tryIn(path.join(place, prefix), longestSocket);
    if ("directory" in made) return made.directory;
    refusals.push(`${place}: ${made.refusal}`);
  }
  throw new CcmError("state_unusable", `no place for throwaway homes (${refusals.join("; ")})`, {
    hint: "set TMPDIR to a directory with a short path, on a disk that runs programs",
  });
}

function tryIn(start: string, longestSocket: string): { readonly directory: string } | { readonly refusal: string } {
  let directory: string | undefined;
  try {
    directory = fs.realpathSync(fs.mkdtempSync(start));
    const refusal = refusalOf(directory, longestSocket);
    if (refusal === undefined) return { directory };
    fs.rmSync(directory, { recursive: true, force: true });
    return { refusal };
  } catch (error) {
    if (directory !== undefined) fs.rmSync(directory, { recursive: true, force: true });
    return { refusal: error instanceof Error ? error.message : String(error) };
  }
}

function refusalOf(directory: string, longestSocket: string): string | undefined {
  if (Buffer.byteLength(directory + longestSocket) > MAX_SOCKET_PATH_BYTES) return "its path is too long for sockets";
  const program = path.join(directory, "probe");
  fs.writeFileSync(program, "#!/bin/sh\nexit 0\n", { mode: 0o700 });
  const { status } = spawnSync(program, { timeout: PROBE_TIMEOUT_MS, stdio: "ignore", cwd: "/" });
  fs.rmSync(program);
  return status === 0 ? undefined : "programs cannot run from there";
}
