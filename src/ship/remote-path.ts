import { CcmError } from "../core/errors.ts";
import type { OwnExecutable } from "./own-executable.ts";

/**
 * What both machines must spell alike: the executable's name over there, and the command lines that start and install it. Each is one
 * line that bash, zsh, dash, fish and tcsh hand to /bin/sh unchanged: a script in single quotes without a single quote, a backslash,
 * an exclamation mark or a newline in it.
 */
const UNQUOTABLE = /['\\!\n\r]/;
const FILE_NAME = /^ccm-[\w.+-]{1,120}$/;
const BUILD_ID = /^[\w.+-]{1,60}$/;
const HEX = /^[0-9a-f]{16,64}$/;

/** As `paths.cache`: an XDG_CACHE_HOME that is not absolute counts as unset. Leaves the directory in `$d`. */
const FIND_DIRECTORY = `d="\${XDG_CACHE_HOME:-}"; case "$d" in /*) ;; *) d="$HOME/.cache" ;; esac; d="$d/claude-code-message/bin"; `;

/** The directory in words, for messages. */
export const REMOTE_DIRECTORY = "~/.cache/claude-code-message/bin";

/** Versions and builds sit side by side, so a new one never disturbs one that runs. */
export function executableName(executable: Pick<OwnExecutable, "version" | "buildId">): string {
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

/** What a stream is packed with, and what unpacks it over there. */
export type Packing = "gzip" | "zstd";

/** Where people and roles install programs, for a shell that says not much about it; the words of a `for` in a script. */
const INSTALLED = `"$HOME/.local/bin/ccm" "$(command -v ccm 2>/dev/null)" /usr/local/bin/ccm`;
/** What the runtime needs besides the C library, and what a small system may be without. */
const LIBRARIES = "libatomic.so.1 libstdc++.so.6";

/**
 * Prints what we need to know, each line beginning with `marker`: system, machine, and the C library with its version where there is a
 * name for it; `lacks` for each library that is missing; `zstd` where that command is; `free` and the kilobytes on that disk, and `noexec`
 * with where it is mounted if so; `installed` and what it says of itself for each ccm that somebody has installed; `have` for each
 * executable of ours, the newest first; and `part` with packing, checksum and bytes for what an upload of `archive` has left.
 */
export function probeCommand(marker: string, archive: string): string {
  const m = checked(HEX, marker);
  return shellCommand(
    `l=$(getconf GNU_LIBC_VERSION 2>/dev/null) || l=; for m in /lib/ld-musl-*; do test -e "$m" && l="\${l:-musl}"; done; ` +
      `echo "${m} $(uname -s) $(uname -m) $l"; ` +
      `k=$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p 2>/dev/null); ` +
      `for n in ${LIBRARIES}; do case "$k" in ""|*"$n"*) ;; *) echo "${m} lacks $n" ;; esac; done; ` +
      `command -v zstd >/dev/null 2>&1 && echo "${m} zstd"; ` +
      `${FIND_DIRECTORY}p="$d"; until test -d "$p"; do p="\${p%/*}"; p="\${p:-/}"; done; ` +
      `set -- $(df -Pk "$p" 2>/dev/null | tail -n 1); echo "${m} free \${4:-}"; ` +
      `o=; while read -r x y t w z; do test "$y" = "\${6:-}" && o=",$w,"; done 2>/dev/null < /proc/mounts; ` +
      `case "$o" in *,noexec,*) echo "${m} noexec $6" ;; esac; ` +
      `for c in ${INSTALLED}; do test -x "$c" && v=$("$c" --version 2>/dev/null </dev/null | head -n 1) && ` +
      `case "$v" in "ccm "*"link protocol"*) echo "${m} installed $v" ;; esac; done; ` +
      `cd "$d" 2>/dev/null || exit 0; ` +
      `ls -t | while read -r n; do case "$n" in ccm-*) echo "${m} have $n" ;; esac; done; ` +
      `for p in .part-${checked(HEX, archive)}-*; do test -f "$p" && echo "${m} part \${p##*-} $(cksum < "$p")"; done; exit 0`,
  );
}

export interface Installation {
  /** The final name. */
  readonly name: string;
  readonly sha256: string;
  readonly nonce: string;
  readonly archive: string;
  readonly packing: Packing;
  /** How much of the archive is there from an earlier upload; the stream goes on after it. */
  readonly fromByte: number;
}

/** The exit status of an installation whose earlier part is not there as it was. */
export const PART_IS_GONE = 75;

/**
 * Takes a packed stream on stdin into a new file beside the final name, has it check itself and take that name, and removes it
 * whatever else happens. A cut connection is an early end of the stream: what has come is then kept, for the next try to go on
 * from. What a crash left behind long ago is swept on the way.
 */
export function installCommand({ name, sha256, nonce, archive, packing, fromByte }: Installation): string {
  const part = `$d/.part-${checked(HEX, archive)}-${packing}`;
  const claim = fromByte === 0 ? `rm -f "$p"` : `mv "$p" "$w" && test $(wc -c < "$w") -eq ${fromByte} || exit ${PART_IS_GONE}`;
  return shellCommand(
    `${FIND_DIRECTORY}umask 077; LC_ALL=C; export LC_ALL; f="$d/.incoming-${checked(HEX, nonce)}"; w="$f.packed"; e="$f.said"; p="${part}"; ` +
      `c() { rm -f "$f"; grep -qi -e unexpected -e premature "$e" 2>/dev/null && mv -f "$w" "$p"; cat "$e" >&2 2>/dev/null; rm -f "$w" "$e"; }; ` +
      `trap c EXIT; trap "exit 129" HUP INT TERM; mkdir -p "$d" || exit; ` +
      `find "$d" -name ".incoming-*" -mmin +60 -exec rm -f {} + 2>/dev/null; find "$d" -name ".part-*" -mmin +1440 -exec rm -f {} + 2>/dev/null; ` +
      `${claim}; : >> "$w" && { cat "$w"; tee -a "$w"; } | ${packing} -dc > "$f" 2> "$e" && rm -f "$w" && ` +
      `chmod 700 "$f" && "$f" settle ${checked(HEX, sha256)} ${checked(FILE_NAME, name)}`,
  );
}

/**
 * Gives the installed executable of that build a name among ours: by a second name of the same file, which costs no space and which an
 * update of the installed one leaves as it is, or a copy where that may not be. Ends with 127 where there is none.
 */
export function adoptCommand({ name, buildId, nonce }: { name: string; buildId: string; nonce: string }): string {
  return shellCommand(
    `${FIND_DIRECTORY}umask 077; mkdir -p "$d" || exit; f="$d/.incoming-${checked(HEX, nonce)}"; trap "rm -f $f" EXIT; ` +
      `for c in ${INSTALLED}; do test -x "$c" && case "$("$c" --version 2>/dev/null </dev/null)" in "ccm "*" build ${checked(BUILD_ID, buildId)},"*) ` +
      `{ ln -L "$c" "$f" 2>/dev/null || cp "$c" "$f"; } && mv -f "$f" "$d/${checked(FILE_NAME, name)}" && exit 0 ;; esac; done; exit 127`,
  );
}

/** Has the executable `from` over there build `name` from its own bytes and those that come on stdin. See `apply-blocks.ts`. */
export function patchCommand({ from, name, sha256, nonce }: { from: string; name: string; sha256: string; nonce: string }): string {
  const words = `${checked(HEX, sha256)} ${checked(FILE_NAME, name)} ${checked(HEX, nonce)}`;
  return shellCommand(`${FIND_DIRECTORY}umask 077; exec "$d/${checked(FILE_NAME, from)}" settle patch ${words}`);
}

function shellCommand(script: string): string {
  if (UNQUOTABLE.test(script)) throw new CcmError("internal", "a remote command does not survive every shell's quoting");
  return `/bin/sh -c '${script}'`;
}

function checked(pattern: RegExp, word: string): string {
  if (!pattern.test(word)) throw new CcmError("internal", `not a word for a remote command: ${word}`);
  return word;
}
