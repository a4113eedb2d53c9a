import assert from "node:assert/strict";
import { test } from "node:test";
import { FilePace } from "../../../src/link/file-pace.ts";

interface Wire {
  readonly bytesPerMs: number;
  readonly roundTripMs: number;
  /** Every so many pieces one is this late, for a reason that is not the wire's. */
  readonly hiccup?: { readonly every: number; readonly ms: number };
}

/** Sends pieces over a wire that takes one after the other, as many at a time as the pace says. */
function send({ bytesPerMs, roundTripMs, hiccup }: Wire, pieces = 2_000) {
  const pace = new FilePace();
  const underWay: { bytes: number; sentAtMs: number; takenBefore: number; takenAtMs: number }[] = [];
  let [nowMs, wireFreeAtMs, takenBytes, underWayBytes] = [0, 0, 0, 0];
  const waits: number[] = [];
  for (let piece = 1; piece <= pieces; piece += 1) {
    while (underWayBytes + pace.pieceBytes > pace.windowBytes) {
      const taken = underWay.shift();
      if (!taken) break;
      nowMs = Math.max(nowMs, taken.takenAtMs);
      underWayBytes -= taken.bytes;
      takenBytes += taken.bytes;
      pace.taken({ latencyMs: nowMs - taken.sentAtMs, takenBytes: takenBytes - taken.takenBefore });
    }
    const bytes = pace.pieceBytes;
    wireFreeAtMs = Math.max(wireFreeAtMs, nowMs) + bytes / bytesPerMs;
    const lateMs = hiccup && piece % hiccup.every === 0 ? hiccup.ms : 0;
    underWay.push({ bytes, sentAtMs: nowMs, takenBefore: takenBytes, takenAtMs: wireFreeAtMs + roundTripMs + lateMs });
    underWayBytes += bytes;
    waits.push(wireFreeAtMs - nowMs);
  }
  return { mostMs: Math.max(...waits), bytesPerMs: takenBytes / nowMs, pieceBytes: pace.pieceBytes };
}

test("no message waits 10 ms behind a file, on fast wires and slower ones, near and far", () => {
  for (const bytesPerMs of [400_000, 100_000, 30_000, 10_000, 3_000]) {
    for (const roundTripMs of [0.3, 2, 20]) {
      const { mostMs } = send({ bytesPerMs, roundTripMs });
      assert.ok(mostMs <= 10, `${mostMs} ms at ${bytesPerMs} bytes a ms, ${roundTripMs} ms away`);
    }
  }
});

test("a wire is used, also when single pieces are late for other reasons", () => {
  for (const bytesPerMs of [60_000, 10_000, 3_000]) {
    const still = send({ bytesPerMs, roundTripMs: 1 });
    assert.ok(still.bytesPerMs > 0.7 * bytesPerMs, `${still.bytesPerMs} of ${bytesPerMs}`);
    const uneasy = send({ bytesPerMs, roundTripMs: 1, hiccup: { every: 7, ms: 15 } });
    assert.ok(uneasy.bytesPerMs > 0.1 * bytesPerMs, `${uneasy.bytesPerMs} of ${bytesPerMs} with hiccups`);
  }
});

test("on a very slow wire pieces are small, and it never stops", () => {
  assert.equal(send({ bytesPerMs: 10, roundTripMs: 300 }).pieceBytes, 4 * 1024);
});
