import assert from "node:assert/strict";
import { test } from "node:test";
import { PairBoard } from "../../../src/cli/pair/pair-board.ts";

const MB = 1_000_000;

function record(isTTY: boolean) {
  let written = "";
  let nowMs = 0;
  const board = new PairBoard({ isTTY, columns: 40, write: (text: string) => (written += text) }, () => nowMs);
  const passMs = (ms: number) => {
    nowMs += ms;
  };
  return { board, passMs, written: () => written };
}

test("in a log each new state of a host is one line", () => {
  const { board, written } = record(false);
  const [web, db] = [board.open("web"), board.open("db\u001b[2J")];
  web.connecting("me@web");
  db.connecting("me@db");
  for (const sentBytes of [0, 20 * MB, 42 * MB]) web.progress({ sentBytes, totalBytes: 42 * MB });
  web.end();
  db.finish("failed: no route");
  web.finish("linked");
  board.clear();
  assert.equal(
    written(),
    "web: connecting\ndb: connecting\nweb: sending ccm to it, 42.0 MB\nweb: linking\ndb: failed: no route\nweb: linked\n",
  );
});

test("on a terminal each host has a line of its own, cut to the width, drawn over and gone at the end", () => {
  const { board, passMs, written } = record(true);
  const [first, second] = [board.open("web"), board.open("db")];
  first.connecting("me@web");
  second.connecting("me@db");
  for (let round = 0; round < 100; round++) {
    passMs(10);
    first.progress({ sentBytes: round * 400_000, totalBytes: 42 * MB });
  }
  board.clear();
  const frames = written().split("\u001b[2A");
  assert.equal(frames.length, 13);
  const [web5, db5] = (frames[5] ?? "").split("\n");
  assert.equal(web5?.length, "\r\u001b[K".length + 39);
  assert.ok(web5?.startsWith("\r\u001b[Kweb: sending ccm to it: ") && web5.endsWith("…"));
  assert.equal(db5, "\r\u001b[Kdb: connecting");
  assert.equal(frames.at(-1), "\r\u001b[J");
});

test("on a terminal with fewer lines than hosts, those under way are shown and the others counted", () => {
  let written = "";
  const board = new PairBoard({ isTTY: true, columns: 60, rows: 5, write: (text: string) => (written += text) });
  const rows = Array.from({ length: 20 }, (_, index) => board.open(`web-${index}`));
  for (const row of rows.slice(0, 6)) row.connecting("there");
  written = "";
  rows[0]?.finish("linked");
  assert.deepEqual(written.replaceAll("\r\u001b[K", "").split("\n"), [
    "\u001b[4Aweb-1: connecting",
    "web-2: connecting",
    "web-3: connecting",
    "20 hosts: 1 done, 14 waiting",
    "",
  ]);
});
