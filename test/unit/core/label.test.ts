import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultLabel, isLabel, labelFromHost, MAX_LABEL_CHARACTERS } from "../../../src/core/label.ts";

test("a label is lower-case letters, digits and inner dashes, 32 at most", () => {
  for (const good of ["a", "7", "laptop", "build-3", "x".repeat(MAX_LABEL_CHARACTERS)]) assert.ok(isLabel(good), good);
  for (const bad of ["", "-a", "a-", "A", "a b", "a\n", "ä", "a_b", "$(id)", "x".repeat(MAX_LABEL_CHARACTERS + 1)]) {
    assert.ok(!isLabel(bad), JSON.stringify(bad));
  }
});

test("a host name suggests its first part, an address all of its numbers", () => {
  assert.equal(labelFromHost("Build_Box.example.org"), "build-box");
  assert.equal(labelFromHost("10.0.0.7"), "10-0-0-7");
  assert.equal(labelFromHost("fe80::1"), "fe80-1");
  assert.equal(labelFromHost("作业"), undefined);
});

test("what a host name suggests is always a label", () => {
  for (const host of ["-x-", `${"a".repeat(31)}.b`, `${"a".repeat(31)}--b`, "UPPER.CASE", "1.2.3", "_"]) {
    const label = labelFromHost(host);
    assert.ok(label === undefined || isLabel(label), `${host} → ${label}`);
  }
  assert.ok(isLabel(defaultLabel()));
  assert.equal(defaultLabel("作业"), "machine");
});
