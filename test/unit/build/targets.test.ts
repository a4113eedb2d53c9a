import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { pinnedRuntime, provideRuntime } from "../../../build/runtime.ts";
import { findTarget, findTargets, isHost, targets } from "../../../build/targets.ts";

const manifest = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, "..", "..", "..", "package.json"), "utf8"));

test("the targets' runtimes are exactly the packages that are pinned, all to one version", () => {
  const versions: Record<string, string> = manifest.optionalDependencies;
  assert.deepEqual(targets.map((target) => target.runtimePackage).sort(), Object.keys(versions).sort());
  assert.equal(new Set(Object.values(versions)).size, 1);
});

test("a target is called after its platform and architecture", () => {
  for (const target of targets) assert.equal(target.name, `${target.platform}-${target.arch}`);
});

test("without a name the target is this machine, whose runtime is the one that runs this test", async () => {
  const target = findTarget(undefined);
  assert.ok(isHost(target));
  assert.equal((await provideRuntime(target)).version, process.versions.node);
});

test("every target's runtime is pinned with the hash of its package", () => {
  for (const target of targets) {
    const { version, integrity } = pinnedRuntime(target);
    assert.equal(version, manifest.optionalDependencies[target.runtimePackage]);
    assert.match(integrity, /^sha512-[\w+/]{86}==$/);
  }
});

test("targets are chosen by name, each once and in the table's order; all of them by `all`", () => {
  const names = (...words: string[]) => findTargets(words).map(({ name }) => name);
  assert.deepEqual(names("darwin-arm64", "linux-x64", "darwin-arm64"), ["linux-x64", "darwin-arm64"]);
  assert.deepEqual(names("all", "linux-x64").length, targets.length);
  assert.deepEqual(findTargets([]).map(isHost), [true]);
});

test("an unknown target is refused with those that there are", () => {
  assert.throws(() => findTarget("plan9-mips"), /plan9-mips; there are linux-x64, linux-arm64, darwin-x64, darwin-arm64/);
});
