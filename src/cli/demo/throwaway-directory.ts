import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { CcmError } from "../../core/errors.ts";
import { MAX_SOCKET_PATH_BYTES } from "../../core/paths.ts";

/** What the longest socket path has behind the directory: a home and the daemon's control socket in it. */
const LONGEST_SOCKET = "/laptop/.local/state/claude-code-message/daemon.sock";
const PROBE_TIMEOUT_MS = 5_000;

/**
 * A new directory for this user alone, with a path short enough for sockets, on a disk that runs programs. Throws `state_unusable`
 * saying what is wrong with each place that was tried.
 */
export function makeThrowawayDirectory(places: readonly string[] = [os.tmpdir(), "/tmp", "/var/tmp"]): string {
  const refusals: string[] = [];
  for (const place of new Set(places)) {
    const made = tryIn(place);
    if ("directory" in made) return made.directory;
    refusals.push(`${place}: ${made.refusal}`);
  }
  throw new CcmError("state_unusable", `no place for throwaway homes (${refusals.join("; ")})`, {
    hint: "set TMPDIR to a directory with a short path, on a disk that runs programs",
  });
}

function tryIn(place: string): { readonly directory: string } | { readonly refusal: string } {
  let directory: string | undefined;
  try {
    directory = fs.realpathSync(fs.mkdtempSync(path.join(place, "ccm-demo-")));
    const refusal = refusalOf(directory);
    if (refusal === undefined) return { directory };
    fs.rmSync(directory, { recursive: true, force: true });
    return { refusal };
  } catch (error) {
    if (directory !== undefined) fs.rmSync(directory, { recursive: true, force: true });
    return { refusal: error instanceof Error ? error.message : String(error) };
  }
}

function refusalOf(directory: string): string | undefined {
  if (Buffer.byteLength(directory + LONGEST_SOCKET) > MAX_SOCKET_PATH_BYTES) return "its path is too long for sockets";
  const program = path.join(directory, "probe");
  fs.writeFileSync(program, "#!/bin/sh\nexit 0\n", { mode: 0o700 });
  const { status } = spawnSync(program, { timeout: PROBE_TIMEOUT_MS, stdio: "ignore", cwd: "/" });
  fs.rmSync(program);
  return status === 0 ? undefined : "programs cannot run from there";
}
