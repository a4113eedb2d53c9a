import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Turns } from "../../../src/link/turns.ts";

function harness(atOnce: number) {
  const turns = new Turns(atOnce);
  const begun: string[] = [];
  const take = (name: string) => {
    const work = Promise.withResolvers<void>();
    const turn = turns.take(() => {
      begun.push(name);
      return work.promise;
    });
    return { ...turn, ...work };
  };
  return { begun, take };
}

test("as many as allowed are under way; the next begins when one has settled, however it did", async () => {
  const { begun, take } = harness(2);
  const [first, second] = [take("a"), take("b"), take("c"), take("d")];
  assert.deepEqual(begun, ["a", "b"]);
  first?.resolve();
  await nextTurn();
  assert.deepEqual(begun, ["a", "b", "c"]);
  second?.reject(new Error("it failed"));
  await nextTurn();
  assert.deepEqual(begun, ["a", "b", "c", "d"]);
});

test("one that cannot wait begins at once and only once, one that is cancelled never", async () => {
  const { begun, take } = harness(1);
  const first = take("a");
  take("b").cancel();
  const urgent = take("c");
  urgent.now();
  urgent.now();
  assert.deepEqual(begun, ["a", "c"]);
  first.resolve();
  urgent.resolve();
  await nextTurn();
  assert.deepEqual(begun, ["a", "c"]);
});
