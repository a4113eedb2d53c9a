#!/bin/sh
# Installs ccm for this user, or takes it away again. Needs sh, tar with gzip, curl or wget, and one of sha256sum, shasum, openssl.
#
#   install.sh [--version VERSION] [--prefix DIRECTORY] [--from ADDRESS] [--sha256 SUM] [--dry-run]
#   install.sh --uninstall [--purge] [--prefix DIRECTORY]
#
#   --version    this version and no other; the newest without it
#   --prefix     goes to DIRECTORY/bin; without it to ~/.local/bin
#   --from       an address of releases, or a directory that holds one; also from CCM_RELEASES
#   --sha256     the archive's checksum from a source that you trust; needed where the address is not https
#   --dry-run    says what it would do, after it has verified what it would install
#   --uninstall  stops ccm, removes the executable and the cache; --purge also removes the configuration and the state
#
# Nothing is put in place that was not verified and did not start here. Exit code 0, or 1 with the reason in one line.
set -eu

# Filled in by the release; empty in the source.
DEFAULT_RELEASES=""

say() { printf '%s\n' "$*"; }
fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

usage() { fail "unknown word $1; there are --version --prefix --from --sha256 --dry-run --uninstall --purge"; }

# All of it is in a function: a download that broke off in the middle of this file does nothing.
main() {
  releases=${CCM_RELEASES:-$DEFAULT_RELEASES} version='' prefix='' pinned='' dry_run='' uninstall='' purge=''
  while [ $# -gt 0 ]; do
    case $1 in
      --version | --prefix | --from | --sha256)
        [ $# -ge 2 ] || fail "$1 needs a value"
        case $1 in
          --version) version=${2#v} ;;
          --prefix) prefix=$2 ;;
          --from) releases=$2 ;;
          --sha256) pinned=$2 ;;
        esac
        shift
        ;;
      --dry-run) dry_run=yes ;;
      --uninstall) uninstall=yes ;;
      --purge) purge=yes ;;
      *) usage "$1" ;;
    esac
    shift
  done
  : "${HOME:?is not set}"
  bin=${prefix:+$prefix/bin}
  bin=${bin:-$HOME/.local/bin}
  case $bin in /*) ;; *) bin=$PWD/$bin ;; esac
  man=${bin%/bin}/share/man/man1
  if [ -n "$uninstall" ]; then remove; else install; fi
}

install() {
  [ -n "$releases" ] || fail "where the releases are is not known: give --from ADDRESS, or set CCM_RELEASES"
  releases=${releases%/}
  target=$(target_name)
  [ ! -d "$bin/ccm" ] || fail "$bin/ccm is a directory"
  mkdir -p "$bin" 2>/dev/null || fail "cannot create $bin"
  # Beside the place where it goes, so that the last step is a rename within one file system.
  work=$bin/.ccm-install.$$
  mkdir -m 700 "$work" 2>/dev/null || fail "cannot write to $bin"
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  find_archive
  fetch "$archive" || fail "cannot fetch $archive from $place"
  verify "$work/$archive"
  unpack
  if [ -n "$dry_run" ]; then
    say "would install $started to $bin/ccm"
    return
  fi
  mv -f "$work/ccm" "$bin/ccm" || fail "cannot write $bin/ccm"
  if [ -f "$work/${archive%.tar.gz}/ccm.1" ] && mkdir -p "$man" 2>/dev/null; then
    chmod 644 "$work/${archive%.tar.gz}/ccm.1"
    mv -f "$work/${archive%.tar.gz}/ccm.1" "$man/ccm.1" || true
  fi
  say "installed $started"
  say "  to $bin/ccm"
  case :$PATH: in *":$bin:"*) ;; *) say "  which is not on your PATH: add $bin to it" ;; esac
  say "Next: ccm init, then ccm pair HOST. Where a daemon of an older version runs: ccm restart"
}

# The name in the table of targets, or why there is none.
target_name() {
  system=$(uname -s) machine=$(uname -m)
  case $machine in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=arm64 ;;
    *) fail "there is no ccm for $system on $machine: it needs a 64-bit x86 or Arm system" ;;
  esac
  case $system in
    Linux)
      for musl in /lib/ld-musl-*; do
        # Beside glibc it is another program's.
        if [ -e "$musl" ] && ! [ -e /lib64/ld-linux-x86-64.so.2 ] && ! [ -e /lib/ld-linux-aarch64.so.1 ]; then
          fail "this system has musl instead of glibc, for which there is no Node runtime: use a system or container with glibc 2.28 or newer"
        fi
      done
      say "linux-$machine"
      ;;
    Darwin)
      # A shell under Rosetta says x86_64 of a machine that is not.
      [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" != 1 ] || machine=arm64
      say "darwin-$machine"
      ;;
    MINGW* | MSYS* | CYGWIN*) fail "Windows is supported within WSL2: run this there" ;;
    *) fail "there is no ccm for $system" ;;
  esac
}

# Sets $place (where the release's files are), $archive, $sum and $version, from SHA256SUMS.
find_archive() {
  if [ -n "$version" ]; then set -- "$releases/download/v$version" "$releases"; else set -- "$releases/latest/download" "$releases"; fi
  for place in "$@"; do
    ! fetch SHA256SUMS || break
  done
  [ -s "$work/SHA256SUMS" ] || fail "there is no release${version:+ $version} at $releases"
  archive='' sum=''
  while read -r line_sum line_name; do
    case $line_name in
      ccm-*-"$target".tar.gz) archive=$line_name sum=$line_sum ;;
    esac
  done <"$work/SHA256SUMS"
  found=${archive#ccm-}
  found=${found%-"$target".tar.gz}
  [ -n "$archive" ] || fail "the release at $place has nothing for $target"
  [ -z "$version" ] || [ "$found" = "$version" ] || fail "the release at $place is $found, not $version"
  version=$found
  case $archive in */*) fail "the release at $place is damaged" ;; esac
}

# Puts one file of the release into $work.
fetch() {
  case $place in
    https://* | http://*)
      if has curl; then
        curl -fsSL --retry 2 --connect-timeout 20 -o "$work/$1" "$place/$1" 2>/dev/null
      elif has wget; then
        wget -q -T 20 -O "$work/$1" "$place/$1" 2>/dev/null || { rm -f "$work/$1" && return 1; }
      else
        fail "there is neither curl nor wget here"
      fi
      ;;
    *://*) fail "cannot fetch from $place" ;;
    *) [ -f "$place/$1" ] && cp "$place/$1" "$work/$1" ;;
  esac
}

# Ends everything unless the file is the one that was published.
verify() {
  if [ -z "$pinned" ]; then
    case $place in http://*) fail "$place is not https, so its checksums prove nothing: give --sha256 from a source that you trust" ;; esac
  fi
  if has sha256sum; then
    actual=$(sha256sum "$1")
  elif has shasum; then
    actual=$(shasum -a 256 "$1")
  elif has openssl; then
    actual=$(openssl dgst -r -sha256 "$1")
  else
    fail "cannot verify what was fetched: there is no sha256sum, shasum or openssl here"
  fi
  actual=${actual%% *}
  wanted=${pinned:-$sum}
  if [ ${#wanted} -ne 64 ] || [ "$actual" != "$wanted" ]; then
    fail "$archive is not what was published: its SHA-256 is $actual, not $wanted. Nothing was installed"
  fi
}

# Leaves the executable as $work/ccm, and sets $started to what it says of itself.
unpack() {
  inside=${archive%.tar.gz}/ccm
  (cd "$work" && tar -xzf "$archive" "${archive%.tar.gz}") 2>"$work/problem" ||
    fail "cannot unpack $archive: $(head -n 1 "$work/problem" 2>/dev/null || true)"
  if [ ! -f "$work/$inside" ] || [ -L "$work/$inside" ]; then fail "$archive holds no ccm"; fi
  mv "$work/$inside" "$work/ccm"
  chmod 755 "$work/ccm"
  started=$("$work/ccm" --version 2>"$work/problem") || {
    read -r problem <"$work/problem" || problem='it was refused'
    case $problem in
      *libatomic*) fail "ccm needs the library libatomic, which is not here: install the package libatomic1 (Debian, Ubuntu) or libatomic (Fedora, RHEL), then run this again" ;;
      *GLIBC*) fail "the C library here is too old: ccm needs glibc 2.28 or newer" ;;
      *) fail "ccm does not start on this system: $problem" ;;
    esac
  }
  case $started in "ccm $version ("*) ;; *) fail "$archive holds another program: $started" ;; esac
}

remove() {
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/claude-code-message
  state=${XDG_STATE_HOME:-$HOME/.local/state}/claude-code-message
  config=${XDG_CONFIG_HOME:-$HOME/.config}/claude-code-message
  if [ -n "$dry_run" ]; then
    say "would stop ccm and remove $bin/ccm and $cache${purge:+, $state and $config}"
    return
  fi
  if [ -x "$bin/ccm" ]; then
    "$bin/ccm" service uninstall >/dev/null 2>&1 || true
    "$bin/ccm" uninstall >/dev/null 2>&1 || "$bin/ccm" down >/dev/null 2>&1 || true
  fi
  rm -f "$bin/ccm" || fail "cannot remove $bin/ccm"
  rm -f "$man/ccm.1"
  rm -rf "$cache"
  if [ -n "$purge" ]; then
    rm -rf "$state" "$config"
    say "removed ccm with its configuration and its state"
  else
    say "removed ccm; its configuration and its state stay (--purge removes them)"
  fi
}

main "$@"
