import assert from "node:assert/strict";
import { test } from "node:test";
import { Arrivals } from "../../../src/link/arrivals.ts";

test("takes a stream in order, drops repetitions, and names a gap", () => {
  const arrivals = new Arrivals();
  assert.equal(arrivals.received, null);
  arrivals.follow("s1");
  assert.deepEqual(
    [1, 2, 2, 1, 4, 3].map((seq) => arrivals.take(seq)),
    ["new", "new", "seen", "seen", "gap", "new"],
  );
  assert.deepEqual(arrivals.received, { stream: "s1", seq: 3 });
});

test("goes on where it was when the same stream is followed again, and begins anew with another", () => {
  const arrivals = new Arrivals();
  arrivals.follow("s1");
  arrivals.take(1);
  arrivals.follow("s1");
  assert.equal(arrivals.take(1), "seen");
  arrivals.follow("s2");
  assert.equal(arrivals.take(1), "new");
  arrivals.forget();
  assert.equal(arrivals.received, null);
});
