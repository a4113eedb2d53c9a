import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { openLog } from "../../../src/core/log.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

test("an event is one line with its time, in a file for its owner alone", (t) => {
  const file = path.join(temporaryDirectory(t), "daemon.log");
  openLog(file, () => 0).warn("two\nlines");
  assert.equal(fs.readFileSync(file, "utf8"), "1970-01-01T00:00:00.000Z warn two lines\n");
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
});

test("a log that has grown large is put aside once and begun anew", (t) => {
  const file = path.join(temporaryDirectory(t), "daemon.log");
  fs.writeFileSync(file, "x".repeat(5 * 1024 * 1024));
  openLog(file).info("first");
  assert.ok(fs.readFileSync(file, "utf8").endsWith("info first\n"));
  assert.ok(fs.statSync(`${file}.1`).size > 4 * 1024 * 1024);
});

test("a log that cannot be written does not throw", (t) => {
  openLog(path.join(temporaryDirectory(t), "none", "daemon.log")).info("lost");
});
