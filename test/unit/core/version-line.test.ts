import assert from "node:assert/strict";
import { test } from "node:test";
import { versionLine } from "../../../src/core/version-line.ts";

test("the version is one line that names version, commit, build, link protocol, runtime and platform", () => {
  const pattern = /^ccm \S+ \(commit \S+, build \S+, link protocol \d+(-\d+)?, node \d+\.\d+\.\d+ \w+-\w+\)$/;
  assert.match(versionLine(), pattern);
});
