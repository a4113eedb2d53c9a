import assert from "node:assert/strict";
import { test } from "node:test";
import { countTests, failedFiles } from "../../../scripts/test-counts.ts";

const summary = (mark: string) =>
  ["tests 12", "suites 0", "pass 7", "fail 2", "cancelled 1", "skipped 1", "todo 1", "duration_ms 5"]
    .map((line) => `${mark} ${line}`)
    .join("\n");

for (const mark of ["ℹ", "#"]) {
  test(`the sums after "${mark}" are read, cancelled tests as failed`, () => {
    assert.deepEqual(countTests(`✔ pass 99\n${summary(mark)}\n`), { passed: 7, failed: 3, skipped: 2 });
  });
}

test("what a test prints before the summary is not counted", () => {
  assert.deepEqual(countTests(`ℹ pass 1000\n${summary("ℹ")}\n`), { passed: 7, failed: 3, skipped: 2 });
});

test("the output of another program has no counts", () => {
  assert.equal(countTests("Checked 12 files in 3ms. No fixes applied.\n"), undefined);
});

test("the files to run again are those of the tests that failed, of the guard too, each once", () => {
  const output = [
    "✖ passing by test/unit/not.test.ts (1ms)",
    "✖ failing tests:",
    "",
    "test at test/unit/a.test.ts:5:1",
    "✖ one (3ms)",
    "test at test/unit/a.test.ts:9:1",
    "✖ two (3ms)",
    "test at test/support/no-leftovers.ts:27:1",
    "  Error: left behind by test/unit/b.test.ts:",
    "    process 7: x",
    "✖ test/unit/c.test.ts (120000ms)",
  ].join("\n");
  assert.deepEqual(failedFiles(output), ["test/unit/a.test.ts", "test/unit/c.test.ts", "test/unit/b.test.ts"]);
  assert.deepEqual(failedFiles("ℹ pass 3"), []);
});
