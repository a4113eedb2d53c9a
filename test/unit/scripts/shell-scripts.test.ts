import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { test } from "node:test";

const scripts = path.join(import.meta.dirname, "..", "..", "..", "scripts");
const names = ["install.sh", "quickstart", "test"];
const noShellcheck = spawnSync("shellcheck", ["--version"]).error ? "needs shellcheck" : false;

test("the scripts are shell that any sh reads", () => {
  for (const name of names) {
    const { status, stderr } = spawnSync("/bin/sh", ["-n", path.join(scripts, name)], { encoding: "utf8" });
    assert.deepEqual([status, stderr], [0, ""], name);
  }
});

test("shellcheck has nothing to say of them as POSIX sh", { skip: noShellcheck }, () => {
  const { stdout, status } = spawnSync("shellcheck", ["--shell=sh", ...names.map((name) => path.join(scripts, name))], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stdout);
});
