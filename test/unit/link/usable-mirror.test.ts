import assert from "node:assert/strict";
import { test } from "node:test";
import { CcmError } from "../../../src/core/errors.ts";
import { type ReadyMirror, UsableMirror } from "../../../src/link/usable-mirror.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const ready = (address: string) => ({ address }) as ReadyMirror;

test("who waits for a mirror gets it in the order of asking, also over one that died before it was ready", async () => {
  const usable = new UsableMirror(new ManualClock());
  const got: string[] = [];
  const ask = (who: string) => usable.use(async ({ address }) => got.push(`${who} ${address}`));
  const first = ask("first");
  usable.lost();
  const second = ask("second");
  usable.found(ready("a"));
  await Promise.all([first, second, ask("third")]);
  usable.lost();
  const fourth = ask("fourth");
  usable.found(ready("b"));
  await fourth;
  assert.deepEqual(got, ["first a", "second a", "third a", "fourth b"]);
});

test("a wait ends with an error when no mirror comes in time, or none will come", async () => {
  const clock = new ManualClock();
  const usable = new UsableMirror(clock);
  const late = assert.rejects(
    usable.use(async () => undefined),
    { code: "timeout" },
  );
  clock.advance(30_000);
  await late;
  assert.equal(clock.pendingTimers, 0);
  const ended = assert.rejects(
    usable.use(async () => undefined),
    { message: "left" },
  );
  usable.end(new CcmError("undeliverable", "left"));
  await ended;
  await assert.rejects(
    usable.use(async () => undefined),
    { message: "left" },
  );
});
