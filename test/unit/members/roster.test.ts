import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { currentPidDomain, readProcStart } from "../../../src/claude/process-identity.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { type RosterEntry, readRosterEntry, writeRosterEntry } from "../../../src/members/roster-entry.ts";
import { RosterSweep, SWEEP_AFTER_MS } from "../../../src/members/roster-sweep.ts";
import { RosterView } from "../../../src/members/roster-view.ts";
import { eventually } from "../../support/eventually.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const self = { pid: process.pid, procStart: readProcStart(process.pid) ?? "", pidDomain: currentPidDomain() };
const record = { ...self, sessionId: "s1", cwd: "/srv", raw: {} };

function pathsIn(context: TestContext) {
  const root = temporaryDirectory(context);
  return {
    claudeConfig: path.join(root, "claude"),
    rosterDirectory: path.join(root, "roster"),
    permissionsDirectory: path.join(root, "permissions"),
  };
}

function entry(fields: Partial<RosterEntry> = {}): RosterEntry {
  return { ...self, sessionId: "s1", joinedAt: 1, ...fields };
}

test("an entry that is damaged, misnamed or of no process is none; a task in it is cleaned", (context) => {
  const { rosterDirectory } = pathsIn(context);
  writeRosterEntry(rosterDirectory, entry({ task: `a\nb${"c".repeat(400)}` }));
  assert.equal(readRosterEntry(rosterDirectory, "s1")?.task?.length, 140);
  for (const text of ["", "[]", "{}", JSON.stringify({ ...entry(), sessionId: "s2" }), JSON.stringify({ ...entry(), pid: "1" })]) {
    fs.writeFileSync(path.join(rosterDirectory, "s1.json"), text);
    assert.equal(readRosterEntry(rosterDirectory, "s1"), undefined, text);
  }
  assert.equal(readRosterEntry(rosterDirectory, "../s1"), undefined);
});

test("a task change is told within 100 ms", async (context) => {
  const paths = pathsIn(context);
  const view = new RosterView({ paths, clock: systemClock, onProblem: (message) => assert.fail(message) });
  context.after(() => view.close());
  const seen: (string | undefined)[] = [];
  view.onChange(() => seen.push(view.attributesOf(record).task));
  writeRosterEntry(paths.rosterDirectory, entry({ task: "one" }));
  const startedMs = performance.now();
  await eventually(() => seen.includes("one"), { everyMs: 1 });
  context.diagnostic(`${Math.round(performance.now() - startedMs)} ms`);
});

test("H7 a session without an entry is asked by its transcript, once", (context) => {
  const paths = pathsIn(context);
  const clock = new ManualClock();
  const view = new RosterView({ paths, clock, onProblem: () => undefined });
  context.after(() => view.close());
  assert.equal(view.attributesOf(record).task, undefined);
  const transcript = path.join(paths.claudeConfig, "projects", "-srv", "s1.jsonl");
  fs.mkdirSync(path.dirname(transcript), { recursive: true });
  const say = (content: string) => fs.writeFileSync(transcript, `${JSON.stringify({ type: "user", message: { content } })}\n`);
  say("first");
  clock.advance(10_000);
  assert.equal(view.attributesOf(record).task, "first");
  say("second");
  clock.advance(100_000);
  assert.equal(view.attributesOf(record).task, "first");
  writeRosterEntry(paths.rosterDirectory, entry({ task: "by a hook" }));
  assert.equal(view.attributesOf(record).task, "by a hook");
});

test("an entry whose process is gone is swept after 120 s, one that lives or is in another container stays", (context) => {
  const paths = pathsIn(context);
  const clock = new ManualClock();
  writeRosterEntry(paths.rosterDirectory, entry());
  writeRosterEntry(paths.rosterDirectory, entry({ sessionId: "gone", name: "web-ui", procStart: "1" }));
  writeRosterEntry(paths.rosterDirectory, entry({ sessionId: "elsewhere", pidDomain: "linux:x:pid:[1]" }));
  const swept: unknown[] = [];
  const sweep = new RosterSweep({ paths, clock, onSwept: (left) => swept.push(left), onProblem: (message) => assert.fail(message) });
  context.after(() => sweep.stop());
  clock.advance(SWEEP_AFTER_MS - 10_000);
  assert.deepEqual(swept, []);
  clock.advance(10_000);
  assert.deepEqual(swept, [{ sessionId: "gone", name: "web-ui" }]);
  assert.deepEqual(fs.readdirSync(paths.rosterDirectory).sort(), ["elsewhere.json", "s1.json"]);
});
