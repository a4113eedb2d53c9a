import assert from "node:assert/strict";
import { test } from "node:test";
import { shouldYield } from "../../../src/daemon/should-yield.ts";

test("L8 a daemon makes room for a newer version and for another build of its own, never for an older or the same", () => {
  const own = { version: "1.2.3", buildId: "a" };
  const asks = (version: string, buildId = "b") => shouldYield(own, { version, buildId });
  assert.deepEqual([asks("1.2.4"), asks("1.10.0"), asks("2.0.0"), asks("1.2.3")], [true, true, true, true]);
  assert.deepEqual(
    [asks("1.2.3", "a"), asks("1.2.2"), asks("0.9.9"), asks("1.2.3-dev"), asks("nonsense")],
    [false, false, false, false, false],
  );
});
