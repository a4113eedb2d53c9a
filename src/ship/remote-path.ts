import { CcmError } from "../core/errors.ts";
import type { OwnExecutable } from "./own-executable.ts";

/**
 * What both machines must spell alike: the executable's name over there, and the command lines that start and install it. Each is one
 * line that bash, zsh, dash, fish and tcsh hand to /bin/sh unchanged: a script in single quotes without a single quote, a backslash,
 * an exclamation mark or a newline in it.
 */
const UNQUOTABLE = /['\\!\n\r]/;
const FILE_NAME = /^ccm-[\w.+-]{1,120}$/;
const HEX = /^[0-9a-f]{16,64}$/;

/** As `paths.cache`: an XDG_CACHE_HOME that is not absolute counts as unset. Leaves the directory in `$d`. */
const FIND_DIRECTORY = `d="\${XDG_CACHE_HOME:-}"; case "$d" in /*) ;; *) d="$HOME/.cache" ;; esac; d="$d/claude-code-message/bin"; `;

/** The directory in words, for messages. */
export const REMOTE_DIRECTORY = "~/.cache/claude-code-message/bin";

/** Versions and builds sit side by side, so a new one never disturbs one that runs. */
export function executableName(executable: OwnExecutable): string {
  const name = `ccm-${executable.version}-${executable.buildId}`;
  if (!FILE_NAME.test(name)) throw new CcmError("internal", `not a name for an executable: ${name}`);
  return name;
}

export function isExecutableName(name: string): boolean {
  return FILE_NAME.test(name);
}

/**
 * Replaces the shell by `serve`; ends with 127 or 126 where the executable is not there or cannot run. The time of access says when it was
 * last used, for the sweep, also where the file system does not keep it.
 */
export function serveCommand(name: string, nonce: string): string {
  const file = `"$d/${checked(FILE_NAME, name)}"`;
  return shellCommand(`${FIND_DIRECTORY}touch -a -c ${file} 2>/dev/null; exec ${file} serve --nonce ${checked(HEX, nonce)}`);
}

/** Prints one line that begins with `marker`: system, machine, and the C library with its version where there is a name for it. */
export function probeCommand(marker: string): string {
  const libc = `l=$(getconf GNU_LIBC_VERSION 2>/dev/null) || l=; for m in /lib/ld-musl-*; do test -e "$m" && l="\${l:-musl}"; done`;
  return shellCommand(`${libc}; echo "${checked(HEX, marker)} $(uname -s) $(uname -m) $l"`);
}

/**
 * Takes a gzip stream on stdin into a new file beside the final name, has it check itself and take that name, and removes it
 * whatever else happens: a cut connection is an early end of the stream. What a crash left behind long ago is swept on the way.
 */
export function installCommand({ name, sha256, nonce }: { name: string; sha256: string; nonce: string }): string {
  const file = `$d/.incoming-${checked(HEX, nonce)}`;
  return shellCommand(
    `${FIND_DIRECTORY}umask 077; LC_ALL=C; export LC_ALL; f="${file}"; ` +
      `c() { rm -f "$f"; }; trap c EXIT; trap "exit 129" HUP INT TERM; ` +
      `mkdir -p "$d" || exit; find "$d" -name ".incoming-*" -mmin +60 -exec rm -f {} + 2>/dev/null; ` +
      `gzip -dc > "$f" && chmod 700 "$f" && "$f" settle ${checked(HEX, sha256)} ${checked(FILE_NAME, name)}`,
  );
}

function shellCommand(script: string): string {
  if (UNQUOTABLE.test(script)) throw new CcmError("internal", "a remote command does not survive every shell's quoting");
  return `/bin/sh -c '${script}'`;
}

function checked(pattern: RegExp, word: string): string {
  if (!pattern.test(word)) throw new CcmError("internal", `not a word for a remote command: ${word}`);
  return word;
}
