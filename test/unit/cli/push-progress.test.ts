import assert from "node:assert/strict";
import { test } from "node:test";
import { describeProgress, reportTo } from "../../../src/cli/pair/push-progress.ts";

const MB = 1_000_000;

function record(isTTY: boolean) {
  let written = "";
  let nowMs = 0;
  const reporter = reportTo({ isTTY, write: (text: string) => (written += text) }, () => nowMs);
  const at = (timeMs: number, sentBytes: number) => {
    nowMs = timeMs;
    reporter.progress({ sentBytes, totalBytes: 42 * MB });
  };
  return { reporter, at, written: () => written };
}

test("in a log, sending is one line at its beginning and one at its end, and the rest is silent", () => {
  const { reporter, at, written } = record(false);
  reporter.connecting("me@server");
  at(0, 0);
  at(1_000, 20 * MB);
  at(3_000, 42 * MB);
  at(3_000, 42 * MB);
  reporter.end();
  assert.equal(written(), "sending ccm to it, 42.0 MB\nsent 42.0 MB in 3 s\n");
});

test("on a terminal it is one line, drawn at most ten times a second, with rate and time left, and gone at the end", () => {
  const { reporter, at, written } = record(true);
  reporter.connecting("me@server");
  for (let timeMs = 0; timeMs < 2_000; timeMs += 10) at(timeMs, (timeMs / 2_000) * 42 * MB);
  at(2_000, 42 * MB);
  reporter.end();
  const drawn = written().split("\r\u001b[K");
  assert.deepEqual(drawn.slice(0, 2), ["", "connecting to me@server"]);
  assert.equal(drawn[12], "sending ccm to it: 21.0 MB of 42.0 MB, 21.0 MB/s, 1 s left");
  assert.deepEqual(drawn.slice(-2), ["sending ccm to it: 42.0 MB of 42.0 MB, checking it", ""]);
  assert.equal(drawn.length, 24);
});

test("before the first byte there is no rate to tell", () => {
  assert.equal(describeProgress({ sentBytes: 0, totalBytes: 42 * MB }, 500), "sending ccm to it: 0 B of 42.0 MB");
});
