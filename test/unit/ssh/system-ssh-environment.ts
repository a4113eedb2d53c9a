import fs from "node:fs";
import path from "node:path";
import type { SshTarget } from "../../../src/ssh/ssh-target.ts";

/** The system's ssh, or undefined: a test that needs it says so with `skip`. */
export const SSH = (process.env.PATH ?? "")
  .split(":")
  .map((folder) => path.join(folder, "ssh"))
  .find((file) => fs.existsSync(file));

export const noSsh = SSH === undefined && "there is no ssh here";

/**
 * ssh takes its configuration from the passwd entry's home and not from HOME, so a wrapper that comes first on PATH names the file.
 * `-F none` of ours still wins, being the later one.
 */
export function sshEnvironment(directory: string, configuration: string): NodeJS.ProcessEnv {
  const bin = fs.mkdtempSync(path.join(directory, "bin-"));
  const file = path.join(bin, "config");
  fs.writeFileSync(file, configuration);
  fs.writeFileSync(path.join(bin, "ssh"), `#!/bin/sh\nexec ${SSH} -F ${file} "$@"\n`, { mode: 0o700 });
  return { PATH: `${bin}:${process.env.PATH}`, HOME: directory, AGENT: "/run/agent.sock" };
}

/** A configuration that makes ssh see what a test's target says. */
export function configurationOf({ host, port, user, identityFiles, knownHostsFiles, identityAgent }: SshTarget): string {
  return [
    "Host *",
    `HostName ${host}`,
    `Port ${port}`,
    `User ${user}`,
    ...identityFiles.map((file) => `IdentityFile ${file}`),
    `IdentityAgent ${identityAgent ?? "SSH_AUTH_SOCK"}`,
    `UserKnownHostsFile ${knownHostsFiles.join(" ") || "none"}`,
    "GlobalKnownHostsFile none",
  ].join("\n");
}
