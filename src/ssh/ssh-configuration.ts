import { execFile } from "node:child_process";
import { CcmError, systemErrorCode } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import type { TypedHost } from "./typed-host.ts";

/** What `ssh -G` prints: lower-case keyword to its values, in order; one entry for each line. */
export type SshConfiguration = ReadonlyMap<string, readonly string[]>;

/** `Match exec` runs a program of the user's own choice, so this is not instant; but it must end. */
const TIMEOUT_MS = 10_000;

/**
 * The system's own resolution of the configuration, or undefined where no ssh is installed. The jumps that somebody's ProxyJump gives
 * to a hop win over its own. Rejects with `ssh_failed` or `timeout`.
 */
export function readSshConfiguration(
  host: TypedHost,
  env: NodeJS.ProcessEnv,
  { isReachedByJumps = false } = {},
): Promise<SshConfiguration | undefined> {
  const user = host.user === undefined ? [] : ["-l", host.user];
  const port = host.port === undefined ? [] : ["-p", String(host.port)];
  const jumps = isReachedByJumps ? ["-o", "ProxyJump=none"] : [];
  const args = ["-G", ...user, ...port, ...jumps, "--", host.host];
  const environment = { ...env, LC_ALL: "C" };
  return new Promise((resolve, reject) => {
    execFile("ssh", args, { env: environment, timeout: TIMEOUT_MS, maxBuffer: 1024 * 1024 }, (error, stdout, stderr) => {
      if (!error) resolve(parseSshConfiguration(stdout));
      else if (systemErrorCode(error) === "ENOENT") resolve(undefined);
      else reject(refused(host, error.killed === true, stderr));
    });
  });
}

export function parseSshConfiguration(text: string): SshConfiguration {
  const settings = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const space = line.indexOf(" ");
    if (space < 1) continue;
    const keyword = line.slice(0, space).toLowerCase();
    const values = settings.get(keyword) ?? [];
    values.push(line.slice(space + 1).replace(/\r$/, ""));
    settings.set(keyword, values);
  }
  return settings;
}

function refused(host: TypedHost, timedOut: boolean, stderr: string): CcmError {
  if (timedOut) return new CcmError("timeout", `ssh -G ${host.host} did not end within ${TIMEOUT_MS / 1000} s`, { hint: HINT });
  return new CcmError("ssh_failed", `ssh cannot read its configuration for ${host.host}: ${plainLine(stderr, 300)}`, { hint: HINT });
}

const HINT = "mend ~/.ssh/config until `ssh -G HOST` works";
