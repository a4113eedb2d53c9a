import assert from "node:assert/strict";
import { test } from "node:test";
import { countTests } from "../../../scripts/test-counts.ts";

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
