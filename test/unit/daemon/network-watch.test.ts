import assert from "node:assert/strict";
import { test } from "node:test";
import { NetworkWatch } from "../../../src/daemon/network-watch.ts";
import { ManualClock } from "../../support/manual-clock.ts";

function watch() {
  const clock = new ManualClock();
  const seen: string[] = [];
  let addresses = "wlan0 10.0.0.7";
  const networkWatch = new NetworkWatch({ clock, addresses: () => addresses, onChange: (what) => seen.push(what) });
  return { clock, seen, networkWatch, move: (to: string) => (addresses = to) };
}

test("nothing happens while nothing changes, and nothing is left after it is stopped", () => {
  const { clock, seen, networkWatch } = watch();
  clock.advance(60_000);
  assert.deepEqual(seen, []);
  networkWatch.stop();
  assert.equal(clock.pendingTimers, 0);
});

test("L2 another address, and the end of a sleep, are told within a second", () => {
  const { clock, seen, networkWatch, move } = watch();
  move("wlan0 192.0.2.9");
  clock.advance(1_000);
  clock.jumpWall(3_600_000);
  clock.advance(1_000);
  clock.jumpWall(-3_600_000);
  clock.advance(5_000);
  assert.deepEqual(seen, ["the network addresses changed", "this machine slept or its clock was set"]);
  networkWatch.stop();
});
