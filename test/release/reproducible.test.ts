import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { noRelease, readManifest, releaseDirectory } from "../support/release-directory.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const root = path.join(import.meta.dirname, "..", "..");

const COPIED = ["build", "scripts", "src", "package.json", "package-lock.json", "tsconfig.json", "LICENSE"];

test("a build in another directory, and the release of it, are the same bytes", { skip: noRelease, timeout: 120_000 }, (t) => {
  const copy = path.join(temporaryDirectory(t), "elsewhere");
  fs.mkdirSync(copy);
  for (const name of COPIED) fs.cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  fs.symlinkSync(fs.realpathSync(path.join(root, "node_modules")), path.join(copy, "node_modules"));
  fs.cpSync(path.join(root, "dist"), path.join(copy, "dist"), { recursive: true, filter: (file) => !file.startsWith(releaseDirectory) });
  const before = fs.readFileSync(path.join(copy, "dist", "ccm"));
  run(copy, "build/build.ts");
  assert.ok(fs.readFileSync(path.join(copy, "dist", "ccm")).equals(before), "the executable differs");
  run(copy, "build/release.ts");
  for (const name of fs.readdirSync(releaseDirectory)) {
    const [one, other] = [releaseDirectory, path.join(copy, "dist", "release")].map((directory) =>
      fs.readFileSync(path.join(directory, name)),
    );
    assert.ok(other && one?.equals(other), `${name} differs`);
  }
});

function run(directory: string, script: string): void {
  const { commit, date } = readManifest();
  // A copy without git is told what git tells the checkout.
  const env = { ...process.env, CCM_COMMIT: commit, SOURCE_DATE_EPOCH: String(Date.parse(date) / 1000) };
  const { status, stderr } = spawnSync(process.execPath, [script], { cwd: directory, env, encoding: "utf8" });
  assert.equal(status, 0, stderr);
}
