import assert from "node:assert/strict";
import { test } from "node:test";
import { describeFindings } from "../../../src/cli/doctor/describe-findings.ts";
import { plainStyle, styleFor } from "../../../src/cli/output/style.ts";
import { renderTable } from "../../../src/cli/output/table.ts";
import { describeBytes, describeDuration } from "../../../src/cli/output/units.ts";
import { nearestWord } from "../../../src/cli/suggestion.ts";

test("a table lines up wide characters as a terminal shows them", () => {
  const table = renderTable([
    ["NAME", "STATUS"],
    ["作业-1", "idle"],
    ["api", "busy"],
  ]);
  assert.equal(table, "NAME    STATUS\n作业-1  idle\napi     busy");
});

test("N3 a cell cannot move the cursor, break the line or reorder what follows", () => {
  assert.equal(renderTable([["a\u001b[2J\u001b]0;title\u0007b\nc\u202ed", "x"]]), "ab c d  x");
});

test("the last column is cut to the terminal at a whole character", () => {
  assert.equal(renderTable([["api", "fix the login redirect"]], { width: 20 }), "api  fix the login…");
  assert.equal(renderTable([["api", "é🇩🇪🇩🇪🇩🇪🇩🇪🇩🇪🇩🇪🇩🇪🇩🇪"]], { width: 18 }), "api  é🇩🇪🇩🇪🇩🇪🇩🇪🇩🇪…");
});

test("colours need a terminal, and NO_COLOR and a dumb terminal forbid them", () => {
  assert.notEqual(styleFor({ isTTY: true }, {}).bad("x"), "x");
  assert.equal(styleFor({ isTTY: false }, {}).bad("x"), "x");
  assert.equal(styleFor({ isTTY: true }, { NO_COLOR: "1" }).bad("x"), "x");
  assert.equal(styleFor({ isTTY: true }, { TERM: "dumb" }).bad("x"), "x");
});

test("durations and bytes read as a person says them", () => {
  const durations = [0, 59_400, 60_000, 3_599_000, 7_500_000, 273_600_000].map(describeDuration);
  assert.deepEqual(durations, ["0 s", "59 s", "1 min", "59 min", "2 h 5 min", "3 d 4 h"]);
  assert.deepEqual([0, 999, 1_500, 41_600_000, 999_999, 3e9].map(describeBytes), ["0 B", "999 B", "1.5 kB", "41.6 MB", "1.0 MB", "3.0 GB"]);
});

test("a slip of the finger finds its word, another word finds none", () => {
  const words = ["init", "pair", "unpair", "status", "doctor"];
  assert.equal(nearestWord("statsu", words), "status");
  assert.equal(nearestWord("piar", words), "pair");
  assert.equal(nearestWord("doc", words), "doctor");
  assert.equal(nearestWord("deploy", words), undefined);
});

test("findings read as a list with what to do beneath, and a sum", () => {
  const text = describeFindings(
    [
      { check: "config", level: "ok", detail: "this machine is laptop" },
      { check: "session", level: "warn", subject: "api", detail: "nobody listens on its inbox", fix: "start that session again" },
      { check: "daemon", level: "fail", detail: "the ccm daemon is not running", fix: "ccm up" },
    ],
    plainStyle,
  );
  assert.equal(
    text,
    [
      "ok    config: this machine is laptop",
      "warn  session: api: nobody listens on its inbox",
      "      → start that session again",
      "fail  daemon: the ccm daemon is not running",
      "      → ccm up",
      "",
      "1 to mend, 1 warning",
    ].join("\n"),
  );
});
