import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { flipByte, runInstall, smallRelease, writeChecksums } from "../../support/small-release.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

function machine(t: TestContext, version = "9.9.9") {
  const directory = temporaryDirectory(t);
  const home = path.join(directory, "home");
  fs.mkdirSync(home);
  const release = smallRelease(path.join(directory, "release"), version);
  const installed = path.join(home, ".local", "bin", "ccm");
  return { directory, home, release, installed };
}

/** That nothing was put anywhere, not even for a moment's use. */
function assertNothingInstalled(home: string): void {
  const bin = path.join(home, ".local", "bin");
  assert.deepEqual(fs.existsSync(bin) ? fs.readdirSync(bin) : [], []);
}

test("installs what it verified to ~/.local/bin, and says so when that is not on PATH", (t) => {
  const { home, release, installed } = machine(t);
  const { status, stdout, stderr } = runInstall(home, ["--from", release.directory]);
  assert.deepEqual([status, stderr], [0, ""]);
  assert.match(stdout, /^installed ccm 9\.9\.9 .*\n {2}to .*\/\.local\/bin\/ccm\n {2}which is not on your PATH/);
  assert.equal(fs.statSync(installed).mode & 0o777, 0o755);
  assert.deepEqual(fs.readdirSync(path.dirname(installed)), ["ccm"]);
});

test("CCM_RELEASES and a prefix choose from where and to where; what is there is replaced by rename", (t) => {
  const { directory, home, release } = machine(t);
  const prefix = path.join(directory, "a prefix");
  const file = path.join(prefix, "bin", "ccm");
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, "old");
  const before = fs.openSync(file, "r");
  const { status } = runInstall(home, ["--prefix", prefix], { CCM_RELEASES: release.directory });
  assert.equal(status, 0);
  assert.equal(fs.readFileSync(before, "utf8"), "old");
  fs.closeSync(before);
  assert.match(fs.readFileSync(file, "utf8"), /9\.9\.9/);
});

test("a version is taken from a site's layout, the newest without one", (t) => {
  const { directory, home } = machine(t);
  const site = path.join(directory, "site");
  smallRelease(path.join(site, "download", "v1.0.0"), "1.0.0");
  smallRelease(path.join(site, "latest", "download"), "2.0.0");
  assert.match(runInstall(home, ["--from", site, "--dry-run"]).stdout, /would install ccm 2\.0\.0/);
  assert.match(runInstall(home, ["--from", site, "--version", "v1.0.0"]).stdout, /installed ccm 1\.0\.0/);
  const { status, stderr } = runInstall(home, ["--from", site, "--version", "3.0.0"]);
  assert.deepEqual([status, stderr], [1, `install.sh: there is no release 3.0.0 at ${site}\n`]);
});

const refused: readonly (readonly [string, (release: ReturnType<typeof smallRelease>) => void, RegExp])[] = [
  ["a flipped byte", ({ archive }) => flipByte(archive), /is not what was published/],
  ["an archive cut short", ({ archive }) => fs.truncateSync(archive, 100), /is not what was published/],
  ["checksums without this archive", ({ directory }) => fs.writeFileSync(path.join(directory, "SHA256SUMS"), "\n"), /has nothing for/],
  ["no checksums", ({ directory }) => fs.rmSync(path.join(directory, "SHA256SUMS")), /there is no release/],
  ["no archive", ({ archive }) => fs.rmSync(archive), /cannot fetch/],
  [
    "an archive of something else",
    ({ archive, directory }) => {
      fs.writeFileSync(archive, "not an archive");
      writeChecksums(directory);
    },
    /cannot unpack/,
  ],
  [
    "an archive of another version",
    ({ archive, directory }) => {
      const other = smallRelease(path.join(directory, "other"), "1.1.1");
      fs.renameSync(other.archive, archive.replace("9.9.9", "1.1.1"));
      fs.rmSync(other.directory, { recursive: true });
      fs.renameSync(archive.replace("9.9.9", "1.1.1"), archive);
      writeChecksums(directory);
    },
    /cannot unpack/,
  ],
];
for (const [what, damage, message] of refused) {
  test(`F4 ${what} is refused in one line, and nothing is put in place or left over`, (t) => {
    const { home, release } = machine(t);
    damage(release);
    const { status, stderr } = runInstall(home, ["--from", release.directory]);
    assert.equal(status, 1);
    assert.match(stderr, message);
    assert.equal(stderr.trimEnd().split("\n").length, 1);
    assertNothingInstalled(home);
  });
}

test("without a program that computes checksums nothing is installed", (t) => {
  const { directory, home, release } = machine(t);
  const tools = path.join(directory, "tools");
  fs.mkdirSync(tools);
  for (const name of ["uname", "mkdir", "rm", "cp", "mv", "tar", "gzip", "chmod"]) fs.symlinkSync(`/bin/${name}`, path.join(tools, name));
  const { status, stderr } = runInstall(home, ["--from", release.directory], { PATH: tools });
  assert.equal(status, 1);
  assert.match(stderr, /cannot verify what was fetched: there is no sha256sum, shasum or openssl/);
  assertNothingInstalled(home);
});

test("the checksum that a person gives wins over the release's own", (t) => {
  const { home, release } = machine(t);
  const { status, stderr } = runInstall(home, ["--from", release.directory, "--sha256", "0".repeat(64)]);
  assert.equal(status, 1);
  assert.match(stderr, /not 0{64}/);
});

test("a dry run verifies and starts it, and changes nothing", (t) => {
  const { home, release } = machine(t);
  assert.match(runInstall(home, ["--from", release.directory, "--dry-run"]).stdout, /^would install ccm 9\.9\.9/);
  assertNothingInstalled(home);
});

test("uninstall stops it and takes executable and cache away; purge the rest", (t) => {
  const { directory, home, installed } = machine(t);
  const asked = path.join(directory, "asked");
  const release = smallRelease(path.join(directory, "noting"), "9.9.9", `echo "$*" >>${asked}`);
  runInstall(home, ["--from", release.directory]);
  const places = [".cache", ".config", ".local/state"].map((place) => path.join(home, place, "claude-code-message"));
  for (const place of places) fs.mkdirSync(place, { recursive: true });
  assert.equal(runInstall(home, ["--uninstall"]).status, 0);
  assert.equal(fs.readFileSync(asked, "utf8"), "service uninstall\nuninstall\n");
  assert.deepEqual([installed, ...places].map(fs.existsSync), [false, false, true, true]);
  assert.equal(runInstall(home, ["--uninstall", "--purge"]).status, 0);
  assert.deepEqual(places.map(fs.existsSync), [false, false, false]);
});

test("an unknown word, a missing value and no address are told in one line", (t) => {
  const { home } = machine(t);
  for (const [words, message] of [
    [["--frobnicate"], /unknown word --frobnicate/],
    [["--from"], /--from needs a value/],
    [[], /give --from ADDRESS, or set CCM_RELEASES/],
  ] as const) {
    const { status, stderr } = runInstall(home, words);
    assert.equal(status, 1);
    assert.match(stderr, message);
  }
});
