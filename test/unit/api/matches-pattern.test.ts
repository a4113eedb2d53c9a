import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { matchesPattern } from "../../../src/api/matches-pattern.ts";

test("a star stands for anything, everything else for itself", () => {
  const cases: [string, string, boolean][] = [
    ["api", "api", true],
    ["api", "API", true],
    ["api", "ap", false],
    ["api", "*", true],
    ["", "*", true],
    ["aba", "ab*ba", false],
    ["abba", "ab*ba", true],
    ["server-api", "*-*", true],
    ["server-api", "s*r*i", true],
    ["a.i", "a?i", false],
    ["api", ".*", false],
  ];
  for (const [text, pattern, expected] of cases) assert.equal(matchesPattern(text, pattern), expected, `${text} ${pattern}`);
});

test("it says what a regular expression says, and does not take its time over a hostile pattern", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "-"), maxLength: 12 });
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 8 });
  fc.assert(
    fc.property(text, pattern, (one, other) => {
      const expression = new RegExp(`^${other.split("*").map(RegExp.escape).join(".*")}$`, "s");
      assert.equal(matchesPattern(one, other), expression.test(one));
    }),
  );
  assert.equal(matchesPattern("a".repeat(80), `${"*a".repeat(100)}*b`), false);
});
