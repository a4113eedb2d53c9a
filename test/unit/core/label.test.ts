import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { defaultLabel, isLabel, labelFromHost } from "../../../src/core/label.ts";

const suggestions = [
  ["server", "server"],
  ["Build-Box.example.org", "build-box"],
  ["10.0.0.7", "10-0-0-7"],
  ["fe80::1", "fe80-1"],
  ["-x-", "x"],
] as const;
for (const [host, label] of suggestions) {
  test(`the host ${host} suggests the label ${label}`, () => assert.equal(labelFromHost(host), label));
}

test("S5 whatever a host is called, its suggested label is one", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (host) => {
      const label = labelFromHost(host);
      assert.ok(label === undefined || isLabel(label));
      assert.ok(isLabel(defaultLabel(host)));
    }),
  );
});

test("S5 what could be an option, a path or a shell word is no label", () => {
  for (const text of ["", "-x", "x-", "a b", "a/b", "..", "$(id)", "a\nb", "Ä", "a".repeat(33)]) assert.equal(isLabel(text), false, text);
});
