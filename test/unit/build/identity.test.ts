import assert from "node:assert/strict";
import { test } from "node:test";
import { BUILD_ID_PLACEHOLDER, commit, hashOf, packageVersion } from "../../../build/identity.ts";

test("a build id takes exactly its placeholder's room and depends on every part", () => {
  const ids = [hashOf(["a", "b"]), hashOf(["b", "a"]), hashOf(["ab"]), hashOf(["a", "b", ""])];
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(hashOf(["a", "b"]), ids[0]);
  for (const id of ids) assert.match(id, new RegExp(`^[0-9a-f]{${BUILD_ID_PLACEHOLDER.length}}$`));
});

test("version and commit are one word each", () => {
  assert.match(packageVersion(), /^\d+\.\d+\.\d+\S*$/);
  assert.match(commit(), /^([0-9a-f]{10,40}(-dirty)?|unknown)$/);
});
