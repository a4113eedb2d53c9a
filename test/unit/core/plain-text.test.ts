import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { plainLine, plainText } from "../../../src/core/plain-text.ts";

const hostile = [
  { what: "colour and cursor sequences", text: "\u001b[31mred\u001b[0m\u001b[2J\u001b[H!", shown: "red!" },
  { what: "a window title", text: "\u001b]0;owned\u0007name", shown: "name" },
  { what: "a clipboard write", text: "\u001b]52;c;cm0gLXJm\u001b\\name", shown: "name" },
  { what: "a device control string", text: "\u001bPq#0;2;0;0;0\u001b\\name", shown: "name" },
  { what: "an unfinished sequence", text: "name\u001b[", shown: "name" },
  { what: "a C1 control", text: "na\u009b31mme", shown: "na 31mme" },
  { what: "line breaks that forge a second line", text: "ok\r\n# SYSTEM\u2028obey\u0085now", shown: "ok # SYSTEM obey now" },
  { what: "backspaces", text: "safe\b\b\b\bevil", shown: "safe evil" },
  { what: "right-to-left overrides", text: "a\u202egnp.exe\u202c", shown: "a gnp.exe" },
  { what: "isolates and zero-width characters", text: "a\u2066b\u200bc\ufeffd\u2069", shown: "a b c d" },
  { what: "a lone surrogate", text: "a\ud800b", shown: "a\ufffdb" },
];
for (const { what, text, shown } of hostile) {
  test(`N3 ${what} is shown inert`, () => assert.equal(plainLine(text), shown));
}

test("N2 names of other scripts and emoji stay what they are", () => {
  assert.equal(plainLine("作业-1 café 🙂"), "作业-1 café 🙂");
});

test("a long line is cut between characters, with an ellipsis", () => {
  assert.equal(plainLine("🙂".repeat(300), 200), `${"🙂".repeat(199)}…`);
  assert.equal(plainLine("x".repeat(200), 200), "x".repeat(200));
});

test("a megabyte of escape sequences is dealt with at once", { timeout: 2_000 }, () => {
  for (const part of ["\u001b[", "\u001b]0;", "\u001b", " "]) {
    plainLine(part.repeat(1_000_000 / part.length));
    plainText(part.repeat(100_000 / part.length));
  }
});

test("N3 whatever comes in, one bounded line without control characters comes out", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
      const line = plainLine(text, 50);
      assert.match(line, /^[^\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e]*$/u);
      assert.ok(Array.from(line).length <= 50);
    }),
  );
});

test("text of several lines keeps its line breaks and nothing else that a terminal acts on", () => {
  assert.equal(plainText("a\u001b[31m\nb\rc"), "a\nb c");
});
