import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff } from "../../../src/link/backoff.ts";

test("doubles from the first delay to the longest, and begins again after a reset", () => {
  const backoff = new Backoff({ firstMs: 1_000, maxMs: 60_000, random: () => 1 });
  assert.deepEqual(
    Array.from({ length: 8 }, () => backoff.nextMs()),
    [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000],
  );
  backoff.reset();
  assert.equal(backoff.nextMs(), 1_000);
});

test("takes each delay between half and the whole, so that many do not come back at once", () => {
  const backoff = new Backoff({ firstMs: 1_000, maxMs: 60_000, random: () => 0 });
  assert.equal(backoff.nextMs(), 500);
});
