import assert from "node:assert/strict";
import { test } from "node:test";
import { FilePace } from "../../../src/link/file-pace.ts";

/** What a wire of that speed makes of the pace: how long a message would wait behind the file, and how fast the file goes. */
function overWire(bytesPerMs: number, roundTripMs: number, files = 400) {
  const pace = new FilePace();
  for (let piece = 0; piece < files; piece += 1) pace.taken(pace.pieceBytes, roundTripMs + pace.windowBytes / bytesPerMs);
  return { waitMs: pace.windowBytes / bytesPerMs, windowBytes: pace.windowBytes, pieceBytes: pace.pieceBytes };
}

test("on a fast wire the pace grows to its limit; on slower ones no message waits more than 10 ms behind a file", () => {
  assert.ok(overWire(400_000, 0.5).windowBytes >= 500_000);
  for (const bytesPerMs of [100_000, 30_000, 10_000, 3_000]) {
    const { waitMs } = overWire(bytesPerMs, 20);
    assert.ok(waitMs <= 10, `${waitMs} ms at ${bytesPerMs} bytes a ms`);
  }
});

test("on a very slow wire pieces are small, and it never stops", () => {
  const { windowBytes, pieceBytes } = overWire(10, 300);
  assert.deepEqual([windowBytes, pieceBytes], [16 * 1024, 4 * 1024]);
});
