import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { runFuzz } from "./run-fuzz.ts";
import { targets } from "./targets/targets.ts";

const LINES = 4_000;
const MAX_GROWTH_BYTES = 24 * 1024 * 1024;
/** Another one each day, so that time finds more; the failure's message names it. */
const seed = Math.floor(Date.now() / 86_400_000);

for (const [name, open] of Object.entries(targets)) {
  test(`R8 L6 ${LINES} hostile lines at ${name}: no exception escapes, good ones get through after them, memory stays (seed ${seed})`, async () => {
    const { heapBeforeBytes, heapAfterBytes } = await runFuzz(open, LINES, seed);
    assert.ok(heapAfterBytes - heapBeforeBytes < MAX_GROWTH_BYTES, `grew from ${heapBeforeBytes} to ${heapAfterBytes} bytes`);
  });
}
