import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { isNewer } from "../../../src/cli/update/compare-versions.ts";
import { rollBackExecutable, updateExecutable } from "../../../src/cli/update/update-executable.ts";
import { resolvePaths } from "../../../src/core/paths.ts";
import { findRelease } from "../../../src/ship/release/find-release.ts";
import { flipByte, runInstall, smallRelease, writeChecksums } from "../../support/small-release.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ChatHome } from "./fixtures/chat-home.ts";

/** A home in which version 1.0.0 is installed, and a site with releases 1.0.0 and 2.0.0, the newest. */
function machine(t: TestContext) {
  const directory = temporaryDirectory(t);
  const home = path.join(directory, "home");
  const site = path.join(directory, "site");
  fs.mkdirSync(home);
  const old = smallRelease(path.join(site, "download", "v1.0.0"), "1.0.0");
  const newest = smallRelease(path.join(site, "latest", "download"), "2.0.0");
  assert.equal(runInstall(home, ["--from", old.directory]).status, 0);
  const file = path.join(home, ".local", "bin", "ccm");
  const paths = resolvePaths({ HOME: home });
  const update = (version?: string, current = "1.0.0") => updateExecutable(file, paths, { current, releases: site, version });
  return { site, newest, file, paths, update };
}

function installedVersion(file: string): string | undefined {
  return /echo "ccm (\S+)/.exec(fs.readFileSync(file, "utf8"))?.[1];
}

test("the newest is installed over the old one by rename, and rolled back and forth", async (t) => {
  const { file, paths, update } = machine(t);
  const running = fs.openSync(file, "r");
  assert.deepEqual(await update(), { version: "2.0.0", available: "2.0.0" });
  assert.equal(installedVersion(file), "2.0.0");
  assert.match(fs.readFileSync(running, "utf8"), /1\.0\.0/);
  fs.closeSync(running);
  assert.deepEqual(fs.readdirSync(path.dirname(file)), ["ccm"]);
  assert.equal(await rollBackExecutable(file, paths), "1.0.0");
  assert.equal(installedVersion(file), "1.0.0");
  assert.equal(await rollBackExecutable(file, paths), "2.0.0");
  assert.equal(installedVersion(file), "2.0.0");
});

test("what is not newer stays away, unless it is asked for by its version", async (t) => {
  const { file, update } = machine(t);
  assert.deepEqual(await update(undefined, "2.0.0"), { version: undefined, available: "2.0.0" });
  assert.deepEqual(await update(undefined, "3.0.0"), { version: undefined, available: "2.0.0" });
  await update();
  assert.deepEqual(await update("1.0.0", "2.0.0"), { version: "1.0.0", available: "1.0.0" });
  assert.equal(installedVersion(file), "1.0.0");
  await assert.rejects(update("9.9.9"), { code: "release_unavailable", message: /no release 9\.9\.9 at/ });
});

const damages: readonly (readonly [string, (release: ReturnType<typeof smallRelease>) => void, string])[] = [
  ["a flipped byte", ({ archive }) => flipByte(archive), "release_refused"],
  ["an archive cut short", ({ archive }) => fs.truncateSync(archive, fs.statSync(archive).size - 20), "release_refused"],
  ["another archive under its name", ({ archive }) => fs.writeFileSync(archive, "not an archive"), "release_refused"],
  ["no archive", ({ archive }) => fs.rmSync(archive), "release_unavailable"],
  ["a manifest that is none", ({ directory }) => fs.writeFileSync(path.join(directory, "manifest.json"), "[]"), "release_refused"],
];
for (const [what, damage, code] of damages) {
  test(`F4 an update with ${what} is refused; the installed one stays, and nothing is left over`, async (t) => {
    const { newest, file, update } = machine(t);
    damage(newest);
    await assert.rejects(update(), { code });
    assert.equal(installedVersion(file), "1.0.0");
    assert.deepEqual(fs.readdirSync(path.dirname(file)), ["ccm"]);
  });
}

test("F4 a version that does not start here is not put in place, and says why", async (t) => {
  const { site, file, update } = machine(t);
  const { directory } = smallRelease(path.join(site, "latest", "download"), "2.0.0", 'echo "libatomic.so.1: cannot open" >&2; exit 127', {
    startsWithVersion: false,
  });
  writeChecksums(directory);
  await assert.rejects(update(), { code: "release_refused", message: /does not start on this system: libatomic\.so\.1: cannot open/ });
  assert.equal(installedVersion(file), "1.0.0");
});

test("F4 of two updates at once one does it, the other says so", async (t) => {
  const { file, update } = machine(t);
  const outcomes = await Promise.allSettled([update(), update()]);
  const failed = outcomes.filter((outcome) => outcome.status === "rejected");
  assert.deepEqual([failed.length, failed[0]?.reason.code], [1, "already_running"]);
  assert.equal(installedVersion(file), "2.0.0");
  assert.deepEqual(fs.readdirSync(path.dirname(file)), ["ccm"]);
});

test("what cannot be trusted or is not for an update is refused before anything is fetched", async (t) => {
  const { paths, site, newest } = machine(t);
  await assert.rejects(findRelease("http://releases.example", undefined, "linux-x64"), { code: "usage", message: /not https/ });
  await assert.rejects(findRelease(newest.directory, undefined, "plan9-mips"), { code: "platform_unsupported" });
  const pushed = path.join(paths.cache, "bin", "ccm-1.0.0-abc");
  await assert.rejects(updateExecutable(pushed, paths, { current: "1.0.0", releases: site, version: undefined }), { code: "usage" });
  await assert.rejects(rollBackExecutable("/nowhere/ccm", paths), { code: "usage", message: /no version to go back to/ });
});

test("a newer version is told from an older one as semantic versioning has it", () => {
  const rising = ["0.1.0-rc.2", "0.1.0-rc.10", "0.1.0", "0.1.1", "0.10.0", "1.0.0-beta", "1.0.0"];
  for (const [index, version] of rising.entries()) {
    assert.deepEqual(
      rising.map((other) => isNewer(other, version)),
      rising.map((_, other) => other > index),
    );
  }
});

test("update --check looks in the place of the option, the environment or the configuration; from source nothing is replaced", async (t) => {
  const { site } = machine(t);
  const home = new ChatHome(t);
  assert.match((await home.ccm(["update", "--check"])).stderr, /where the releases are is not known\n {4}give --from/);
  home.writeConfig({ releases: site });
  const { stdout } = await home.ccm(["update", "--check", "--json"]);
  assert.deepEqual(JSON.parse(stdout), { installed: "0.0.0-dev", available: "2.0.0", changed: false, daemonRestarted: false });
  assert.match((await home.ccm(["update", "--from", site])).stderr, /runs from its source here/);
});
