import { CcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import type { RemoteExit } from "../ssh/transport.ts";
import { REMOTE_DIRECTORY } from "./remote-path.ts";

/** What the other machine's tools say, and what to do about it. The first that fits. */
const causes: readonly (readonly [RegExp, string, string])[] = [
  [/no space left/i, "its disk is full", `free space for about 300 MB in ${REMOTE_DIRECTORY} there`],
  [/quota/i, "the account is over its quota", `free space for about 300 MB in ${REMOTE_DIRECTORY} there`],
  [/read-only file system/i, "its file system is read-only", "set XDG_CACHE_HOME there to a directory that can be written"],
  [/gzip: (command )?not found/i, "it has no gzip", "install gzip there"],
  [/what arrived is damaged/i, "what arrived is damaged", "try again; if it stays so, look at the disks of both machines"],
  [/(GLIBC|GLIBCXX)_[\d.]+. not found/i, "its C library is too old", "use a newer system there"],
  // What the runtime needs besides the C library, and what a small system may be without.
  [/loading shared libraries: libatomic/i, "it has no libatomic", "install libatomic1 (Debian, Ubuntu) or libatomic (Fedora, RHEL) there"],
  [/loading shared libraries: libstdc/i, "it has no libstdc++", "install libstdc++6 (Debian, Ubuntu) or libstdc++ (Fedora, RHEL) there"],
  [/exec format error/i, "the executable is for another processor", "install the ccm release for that platform there"],
];
const NOEXEC = [
  "the executable may not run there",
  `mount ${REMOTE_DIRECTORY} there without noexec, or set XDG_CACHE_HOME to where programs may run`,
] as const;
const NO_WRITE = ["that account may not write there", `make ${REMOTE_DIRECTORY} there writable for it, or set XDG_CACHE_HOME`] as const;
const NO_START = [
  "the executable does not start there",
  "the system there lacks what ccm needs; see its README for the platforms",
] as const;

/** Why an installation over there failed, from its exit status and the end of its stderr. */
export function pushError(host: string, exit: RemoteExit, stderr: string): CcmError {
  if (exit.code === undefined && exit.signal === undefined) {
    return new CcmError("push_failed", `the connection to ${host} ended during the upload; nothing was installed`, {
      hint: "it is tried again with the next connection",
    });
  }
  const [reason, hint] = explain(exit, stderr);
  const status = exit.code === undefined ? `signal ${exit.signal}` : `exit ${exit.code}`;
  const words = plainLine(stderr.trim().split("\n").slice(-3).join(" "), 240);
  return new CcmError("push_failed", `cannot install ccm on ${host}: ${reason} (${words || status})`, { hint });
}

function explain(exit: RemoteExit, stderr: string): readonly [string, string] {
  for (const [pattern, reason, hint] of causes) if (pattern.test(stderr)) return [reason, hint];
  if (exit.code === 126) return NOEXEC;
  if (/permission denied|operation not permitted/i.test(stderr)) return NO_WRITE;
  if (exit.code === 127) return NO_START;
  return ["installing it failed there", `check ${REMOTE_DIRECTORY} there`];
}
