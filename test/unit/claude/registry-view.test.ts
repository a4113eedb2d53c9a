import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import type { RegistryEntry } from "../../../src/claude/registry.ts";
import { openRegistryView, type RegistryViewOptions } from "../../../src/claude/registry-view.ts";
import { eventually } from "../../support/eventually.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { startPeerProcess } from "./peer-process.ts";
import { openSandbox, type Sandbox } from "./sandbox.ts";

function openView(t: TestContext, sandbox: Sandbox, options: Partial<RegistryViewOptions> = {}) {
  const view = openRegistryView({ claudeConfig: sandbox.claudeConfig, onProblem: (message) => t.diagnostic(message), ...options });
  t.after(() => view.close());
  const changes: (readonly RegistryEntry[])[] = [];
  view.onChange((entries) => changes.push(entries));
  const names = () =>
    view.entries().map(({ record, unreachable }) => (unreachable ? `${record?.name} ${unreachable.reason}` : record?.name));
  return { view, changes, names };
}

/** A record of this process, which lives; it has no inbox, which is as good as another for seeing it. */
function writeRecord({ sessions }: Sandbox, fields: Record<string, unknown>, pid = process.pid): void {
  fs.writeFileSync(path.join(sessions, `${pid}.json`), JSON.stringify({ pid, ...fields }));
}

test("R3 a rename while running is seen within a second, under the same process", async (t) => {
  const sandbox = openSandbox(t);
  const { changes, names } = openView(t, sandbox);
  writeRecord(sandbox, { name: "old" });
  await eventually(() => names()[0] === "old socket_unset");
  writeRecord(sandbox, { name: "new" });
  await eventually(() => names()[0] === "new socket_unset", { deadlineMs: 1_000 });
  assert.equal(changes.at(-1)?.[0]?.pid, process.pid);
});

test("a session that is killed without a trace is seen to be gone within 2 s, though its record stays", async (t) => {
  const sandbox = openSandbox(t);
  const session = await startPeerProcess(t, sandbox, "victim");
  const { names } = openView(t, sandbox);
  assert.deepEqual(names(), ["victim"]);
  await session.kill("SIGKILL");
  await eventually(() => names()[0] === "victim process_gone", { deadlineMs: 2_000 });
});

test("R1 a record that is nested too deeply to be compared does not hide what changes in the others", async (t) => {
  const sandbox = openSandbox(t);
  const deep = `{"pid":5000001,"7":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  fs.writeFileSync(path.join(sandbox.sessions, "5000001.json"), deep);
  writeRecord(sandbox, { name: "old" });
  const { view, changes, names } = openView(t, sandbox);
  writeRecord(sandbox, { name: "new" });
  view.refresh();
  assert.deepEqual(names(), ["new socket_unset", "undefined process_gone"]);
  assert.equal(changes.length, 1);
});

test("R10 100 sessions that appear in one burst are all seen, in a few readings", async (t) => {
  const sandbox = openSandbox(t);
  const { view, changes } = openView(t, sandbox);
  for (let pid = 1; pid <= 100; pid += 1) writeRecord(sandbox, { name: `s${pid}` }, 5_000_000 + pid);
  await eventually(() => view.entries().length === 100);
  assert.ok(changes.length <= 20, `${changes.length} changes`);
});

test("a change of nothing but updatedAt is told to nobody; one of the status is", async (t) => {
  const sandbox = openSandbox(t);
  writeRecord(sandbox, { name: "a", status: "idle", updatedAt: 1 });
  const { view, changes } = openView(t, sandbox);
  writeRecord(sandbox, { name: "a", status: "idle", updatedAt: 2 });
  view.refresh();
  assert.equal(changes.length, 0);
  writeRecord(sandbox, { name: "a", status: "busy", updatedAt: 2 });
  view.refresh();
  assert.equal(changes.length, 1);
  assert.equal(view.entries()[0]?.record?.status, "busy");
});

test("a record that is caught half written keeps its session; one that stays damaged does not", async (t) => {
  const sandbox = openSandbox(t);
  const clock = new ManualClock();
  writeRecord(sandbox, { name: "a" });
  const { view, changes, names } = openView(t, sandbox, { clock });
  const file = path.join(sandbox.sessions, `${process.pid}.json`);
  fs.writeFileSync(file, '{"pid":1');
  view.refresh();
  assert.deepEqual(names(), ["a socket_unset"]);
  writeRecord(sandbox, { name: "b" });
  clock.advance(100);
  assert.deepEqual(names(), ["b socket_unset"]);
  fs.writeFileSync(file, '{"pid":1');
  view.refresh();
  clock.advance(2_000);
  assert.deepEqual(names(), ["undefined record_malformed"]);
  assert.equal(changes.length, 2);
});

test("a damaged record costs no more looks than the poll makes", async (t) => {
  const sandbox = openSandbox(t);
  const clock = new ManualClock();
  fs.writeFileSync(path.join(sandbox.sessions, "77.json"), "{");
  const { view } = openView(t, sandbox, { clock });
  assert.equal(view.entries()[0]?.unreachable?.reason, "record_malformed");
  clock.advance(5_000);
  assert.equal(clock.pendingTimers, 1);
});

test("the registry may come later, go, and come again", async (t) => {
  const sandbox = openSandbox(t);
  fs.rmSync(sandbox.sessions, { recursive: true });
  const { names } = openView(t, sandbox, { pollMs: 50 });
  assert.deepEqual(names(), []);
  fs.mkdirSync(sandbox.sessions);
  writeRecord(sandbox, { name: "a" });
  await eventually(() => names().length === 1);
  fs.rmSync(sandbox.sessions, { recursive: true });
  await eventually(() => names().length === 0);
  fs.mkdirSync(sandbox.sessions);
  writeRecord(sandbox, { name: "b" });
  await eventually(() => names()[0] === "b socket_unset");
});

test("a listener that fails costs no other its call; a closed view calls nobody", async (t) => {
  const sandbox = openSandbox(t);
  const problems: string[] = [];
  const view = openRegistryView({ claudeConfig: sandbox.claudeConfig, onProblem: (message) => problems.push(message) });
  t.after(() => view.close());
  let calls = 0;
  view.onChange(() => {
    throw new Error("mine");
  });
  const stop = view.onChange(() => {
    calls += 1;
  });
  writeRecord(sandbox, { name: "a" });
  view.refresh();
  assert.equal(calls, 1);
  assert.deepEqual(problems, ["registry: a listener failed: mine"]);
  stop();
  writeRecord(sandbox, { name: "b" });
  view.close();
  view.close();
  view.refresh();
  assert.equal(calls, 1);
});
