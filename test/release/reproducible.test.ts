import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { targets } from "../../build/targets.ts";
import { copySource } from "../support/copy-source.ts";
import { noRelease, readManifest, releaseDirectory } from "../support/release-directory.ts";

test("a build in another directory, with a longer name, and the release of it, are the same bytes", {
  skip: noRelease,
  timeout: 120_000,
}, () => {
  using copy = copySource("elsewhere-".repeat(12));
  const distribution = path.join(copy.directory, "dist");
  fs.mkdirSync(distribution);
  // Of the foreign ones the release is made again; that they are built alike is seen at this machine's own.
  for (const { name } of targets) {
    const built = path.join(releaseDirectory, "..", `ccm-${name}`);
    if (fs.existsSync(built)) fs.copyFileSync(built, path.join(distribution, `ccm-${name}`));
  }
  run(copy.directory, "build/build.ts");
  const [own, again] = [path.dirname(releaseDirectory), distribution].map((directory) => fs.readFileSync(path.join(directory, "ccm")));
  assert.ok(again && own?.equals(again), "the executable differs");
  run(copy.directory, "build/release.ts");
  for (const name of fs.readdirSync(releaseDirectory)) {
    const [first, second] = [releaseDirectory, path.join(distribution, "release")].map((directory) =>
      fs.readFileSync(path.join(directory, name)),
    );
    assert.ok(second && first?.equals(second), `${name} differs`);
  }
});

function run(directory: string, script: string): void {
  const { commit, date } = readManifest();
  // A copy without git is told what git tells the checkout.
  const env = { ...process.env, CCM_COMMIT: commit, SOURCE_DATE_EPOCH: String(Date.parse(date) / 1000) };
  const { status, stderr } = spawnSync(process.execPath, [script], { cwd: directory, env, encoding: "utf8" });
  assert.equal(status, 0, stderr);
}
