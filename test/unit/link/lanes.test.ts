import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Lanes, laneLimits } from "../../../src/link/lanes.ts";

const job = (go: () => void, prepare?: () => Promise<void>) => ({
  prepare,
  bytes: () => 1,
  go: async () => go(),
  full: () => assert.fail("full"),
});

test("a job that need not wait goes within the call; one behind a job that is prepared goes after it", async () => {
  const lanes = new Lanes();
  const gone: string[] = [];
  const { promise: prepared, resolve: finish } = Promise.withResolvers<void>();
  const at = (name: string) => () => void gone.push(name);
  const all = [
    lanes.run("a", job(at("first"))),
    lanes.run(
      "a",
      job(at("slow"), () => prepared),
    ),
    lanes.run("a", job(at("behind"))),
  ];
  all.push(lanes.run("b", job(at("other lane"))));
  assert.deepEqual(gone, ["first", "other lane"]);
  finish();
  await Promise.all(all);
  assert.deepEqual(gone, ["first", "other lane", "slow", "behind"]);
  void lanes.run("a", job(at("afterwards")));
  assert.equal(gone.at(-1), "afterwards");
});

test("each lane keeps its order, whatever has to be prepared and however long that takes", async () => {
  const jobs = fc.array(fc.record({ lane: fc.constantFrom("a", "b", "c"), turns: fc.option(fc.nat({ max: 5 }), { nil: undefined }) }));
  await fc.assert(
    fc.asyncProperty(jobs, async (list) => {
      const lanes = new Lanes();
      const gone: { lane: string; index: number }[] = [];
      await Promise.all(
        list.map(({ lane, turns }, index) =>
          lanes.run(
            lane,
            job(
              () => gone.push({ lane, index }),
              turns === undefined
                ? undefined
                : async () => {
                    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
                  },
            ),
          ),
        ),
      );
      assert.equal(gone.length, list.length);
      for (const name of ["a", "b", "c"]) {
        const indices = gone.filter(({ lane }) => lane === name).map(({ index }) => index);
        assert.deepEqual(
          indices,
          indices.toSorted((one, other) => one - other),
        );
      }
    }),
  );
});

test("a preparation that fails fails its job alone; what waits is bounded in bytes", async () => {
  const lanes = new Lanes();
  const failing = lanes.run(
    "a",
    job(assert.fail, () => Promise.reject(new Error("no"))),
  );
  const behind = lanes.run("a", { ...job(() => undefined), go: async () => "gone" });
  await assert.rejects(failing, /no/);
  assert.equal(await behind, "gone");
  const { promise: prepared, resolve: finish } = Promise.withResolvers<void>();
  const sized = (bytes: number) => ({ prepare: () => prepared, bytes: () => bytes, go: async () => "gone", full: () => "full" });
  const waiting = lanes.run("a", sized(laneLimits.maxWaitingBytes - 1));
  assert.equal(await lanes.run("b", sized(2)), "full");
  finish();
  assert.deepEqual([await waiting, await lanes.run("b", sized(2))], ["gone", "gone"]);
});
