import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { appendEvent } from "../../../src/audit/append-event.ts";
import { Counters } from "../../../src/audit/counters.ts";
import { messagePreview } from "../../../src/audit/message-preview.ts";
import { TRAIL_GENERATIONS } from "../../../src/audit/trail.ts";
import { TrailReader } from "../../../src/audit/trail-reader.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** As the daemon does it when the file is full. */
function rotate(file: string): void {
  for (let age = TRAIL_GENERATIONS - 1; age >= 1; age -= 1)
    if (fs.existsSync(`${file}.${age}`)) fs.renameSync(`${file}.${age}`, `${file}.${age + 1}`);
  fs.renameSync(file, `${file}.1`);
}

function readerOf(file: string) {
  const seen: unknown[] = [];
  const reader = new TrailReader(file, ({ ev, number }) => seen.push(number ?? ev));
  return { reader, seen };
}

test("a reader that follows gets each line once, through any number of rotations", (context) => {
  const file = path.join(temporaryDirectory(context), "audit.jsonl");
  const { reader, seen } = readerOf(file);
  context.after(() => reader.close());
  let number = 0;
  const write = (count: number) => {
    for (let written = 0; written < count; written += 1) appendEvent({ file, node: "n" }, { ev: "x", number: number++ });
  };
  reader.catchUp();
  for (const rotations of [0, 1, 0, 2, 3]) {
    write(2);
    for (let done = 0; done < rotations; done += 1) {
      rotate(file);
      write(3);
    }
    reader.catchUp();
  }
  assert.deepEqual(
    seen,
    Array.from({ length: number }, (_, index) => index),
  );
});

test("a damaged line is left out, and half a line waits for its other half", (context) => {
  const file = path.join(temporaryDirectory(context), "audit.jsonl");
  fs.writeFileSync(file, '{"ts":"t","ev":"a"}\n{"broken\n[1]\n{"ts":"t","e');
  const { reader, seen } = readerOf(file);
  context.after(() => reader.close());
  reader.catchUp();
  assert.deepEqual(seen, ["a"]);
  fs.appendFileSync(file, 'v":"b"}\n');
  reader.catchUp();
  assert.deepEqual(seen, ["a", "b"]);
});

test("lines of several processes that write while the file is rotated are all there, and whole", async (context) => {
  const file = path.join(temporaryDirectory(context), "audit.jsonl");
  const program = path.join(import.meta.dirname, "fixtures", "append-events.ts");
  const { CCM_TEST_MARK } = process.env;
  const writers = ["a", "b"].map((name) =>
    spawn(process.execPath, [program, file, name, "300"], { env: { CCM_TEST_MARK }, stdio: "inherit" }),
  );
  const ended = Promise.all(writers.map((child) => once(child, "close")));
  let isOver = false;
  void ended.then(() => (isOver = true));
  let rotations = 0;
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    const isFull = (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 15_000;
    if (isFull && rotations < TRAIL_GENERATIONS) {
      rotate(file);
      rotations += 1;
    }
  }
  const { reader, seen } = readerOf(file);
  reader.catchUp();
  reader.close();
  assert.ok(rotations > 0);
  assert.equal(new Set(seen).size, 600);
});

test("a preview is one inert line without secrets, and nothing where nothing is to be kept", () => {
  const text = `use sk-ant-api03-${"aB3d".repeat(20)}\n\u001b[31mnow ${"x".repeat(500)}`;
  const { preview = "" } = messagePreview(text, 40);
  assert.match(preview, /^use \[redacted\] now x+…$/);
  assert.equal(preview.length, 40);
  assert.deepEqual(messagePreview(text, 0), {});
});

test("counters survive a restart; a burst is one write; a damaged file begins again and is told", (context) => {
  const file = path.join(temporaryDirectory(context), "counters.json");
  const clock = new ManualClock();
  const problems: string[] = [];
  const open = () => new Counters({ file, clock, onProblem: (message) => problems.push(message) });
  const counters = open();
  counters.add("server", "sent");
  counters.add("server", "sent");
  counters.add("server", "failed");
  assert.equal(fs.existsSync(file), false);
  clock.advance(1_000);
  assert.deepEqual(open().of("server"), { sent: 2, received: 0, failed: 1 });
  assert.deepEqual(open().of("other"), { sent: 0, received: 0, failed: 0 });
  fs.writeFileSync(file, '{"peers":{"server":{"sent":-1,"received":"x"}}}');
  assert.deepEqual(open().of("server"), { sent: 0, received: 0, failed: 0 });
  assert.deepEqual(problems, []);
  fs.writeFileSync(file, "{");
  assert.deepEqual(open().of("server"), { sent: 0, received: 0, failed: 0 });
  assert.match(problems.join(), /damaged/);
});
