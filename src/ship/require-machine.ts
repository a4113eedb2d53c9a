import { CcmError } from "../core/errors.ts";
import { plainLine } from "../core/plain-text.ts";
import type { RemoteMachine } from "./remote-machine.ts";
import { REMOTE_DIRECTORY } from "./remote-path.ts";

/** The oldest GNU C library on which the runtime starts (Node 26, BUILDING.md). */
const MIN_GLIBC = [2, 28] as const;
/** The executable, and what it came packed in until it is in place. */
const SPACE_FACTOR = 1.4;

/** What has the libraries that the runtime needs besides the C library, by the system's package manager. */
const packages: Readonly<Record<string, string>> = {
  "libatomic.so.1": "libatomic1 (Debian, Ubuntu) or libatomic (Fedora, RHEL)",
  "libstdc++.so.6": "libstdc++6 (Debian, Ubuntu) or libstdc++ (Fedora, RHEL)",
};

/** Refuses where an executable for `platform` cannot run: `platform_unsupported` names what stands against it. `why`: no other was found. */
export function requirePlatform(host: string, machine: RemoteMachine, platform: string, why?: string): void {
  const { library, lacks } = machine;
  if (machine.platform !== platform) {
    const there = plainLine(machine.platform, 60);
    throw new CcmError(
      "platform_unsupported",
      `${host} is ${there}; this executable is for ${platform}${why === undefined ? "" : `; ${why}`}`,
      {
        hint: `put ccm-${there} of this release and its .sha256 into ~/.cache/claude-code-message/artefacts here, or install it there and pair from that side`,
      },
    );
  }
  if (library.name === "musl") throw tooOld(host, "has musl instead of the GNU C library");
  if (library.name === "glibc" && isOlder(library.version)) throw tooOld(host, `has glibc ${plainLine(library.version, 20)}`);
  const [missing] = lacks;
  if (missing === undefined) return;
  throw new CcmError("platform_unsupported", `${host} has no ${plainLine(missing, 40)}, which ccm needs`, {
    hint: `install ${packages[missing] ?? missing} there`,
  });
}

/** Refuses where no file of that many bytes fits, or none may run: `push_failed` before anything is sent. */
export function requireRoom(host: string, { freeBytes, noexec }: RemoteMachine, executableBytes: number): void {
  if (noexec !== undefined) {
    throw new CcmError(
      "push_failed",
      `cannot install ccm on ${host}: ${plainLine(noexec, 80)} is mounted noexec there, so no program in it may run`,
      {
        hint: `set XDG_CACHE_HOME there to a directory where programs may run, or mount ${REMOTE_DIRECTORY} without noexec`,
      },
    );
  }
  const neededBytes = executableBytes * SPACE_FACTOR;
  if (freeBytes === undefined || freeBytes >= neededBytes) return;
  const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  throw new CcmError("push_failed", `cannot install ccm on ${host}: its disk is full (${megabytes(freeBytes)} free)`, {
    hint: `free space there for ${megabytes(neededBytes)} in ${REMOTE_DIRECTORY}`,
  });
}

function tooOld(host: string, what: string): CcmError {
  const needed = `glibc ${MIN_GLIBC.join(".")} or newer`;
  return new CcmError("platform_unsupported", `${host} ${what}; ccm needs ${needed}`, { hint: `use a system there that has ${needed}` });
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < MIN_GLIBC[0] || (major === MIN_GLIBC[0] && minor < MIN_GLIBC[1]);
}
