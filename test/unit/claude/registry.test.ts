import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { probeSocket } from "../../../src/claude/probe-socket.ts";
import { currentPidDomain } from "../../../src/claude/process-identity.ts";
import { readRegistry, unreachableReasons } from "../../../src/claude/registry.ts";
import { openSandbox, type Sandbox, startProcess } from "./sandbox.ts";

async function listen(t: TestContext, socketPath: string): Promise<void> {
  const server = net.createServer((socket) => socket.resume());
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  t.after(() => server.close());
}

/** A session as the registry shows it: a process that lives, a socket that answers, a record that fits; `changes` break it. */
function writeSession(t: TestContext, { root, sessions }: Sandbox, changes: Record<string, unknown> = {}): number {
  const { pid, procStart } = startProcess(t);
  const record = { pid, procStart, pidDomain: currentPidDomain(), name: `s${pid}`, messagingSocketPath: path.join(root, "good.sock") };
  fs.writeFileSync(path.join(sessions, `${pid}.json`), JSON.stringify({ ...record, ...changes }));
  return pid;
}

test("R1 each record that nobody answers for has its own reason, and none hides the others", async (t) => {
  const sandbox = openSandbox(t);
  const { root, sessions } = sandbox;
  await listen(t, path.join(root, "good.sock"));
  fs.symlinkSync(path.join(root, "good.sock"), path.join(root, "link.sock"));
  fs.writeFileSync(path.join(root, "file.sock"), "");
  const gone = startProcess(t);
  await gone.kill();
  const [machine] = currentPidDomain().split(":pid:");
  const expected = new Map<number, string>([
    [writeSession(t, sandbox), "reachable"],
    [writeSession(t, sandbox, { messagingSocketPath: undefined }), "socket_unset"],
    [writeSession(t, sandbox, { messagingSocketPath: path.join(root, "missing.sock") }), "socket_missing"],
    [writeSession(t, sandbox, { messagingSocketPath: path.join(root, "file.sock", "x") }), "socket_missing"],
    [writeSession(t, sandbox, { messagingSocketPath: path.join(root, "link.sock") }), "socket_unsafe"],
    [writeSession(t, sandbox, { messagingSocketPath: path.join(root, "file.sock") }), "socket_unsafe"],
    [writeSession(t, sandbox, { procStart: "1" }), "process_replaced"],
    [writeSession(t, sandbox, { pidDomain: `${machine}:pid:[1]` }), "other_pid_domain"],
    [writeSession(t, sandbox, { pid: 1 }), "record_misnamed"],
    [gone.pid, "process_gone"],
    [4_000_001, "record_malformed"],
    [4_000_002, "record_malformed"],
    [77, "record_unreadable"],
  ]);
  fs.writeFileSync(path.join(sessions, `${gone.pid}.json`), JSON.stringify({ pid: gone.pid, procStart: gone.procStart }));
  fs.writeFileSync(path.join(sessions, "4000001.json"), '{"pid":4000001,"na');
  fs.writeFileSync(path.join(sessions, "4000002.json"), "[1,2]");
  fs.mkdirSync(path.join(sessions, "77.json"));
  const found = new Map(readRegistry(sandbox.claudeConfig).map(({ pid, unreachable }) => [pid, unreachable?.reason ?? "reachable"]));
  assert.deepEqual([...found].sort(), [...expected].sort());
});

test("R1 a socket that refuses is found out by a probe", async (t) => {
  const { root } = openSandbox(t);
  const socketPath = path.join(root, "s.sock");
  await listen(t, socketPath);
  assert.equal(await probeSocket(socketPath), true);
  const abandoned = path.join(root, "abandoned.sock");
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(path.join(root, "t.sock"), resolve));
  fs.renameSync(path.join(root, "t.sock"), abandoned);
  await new Promise((resolve) => server.close(resolve));
  assert.equal(fs.lstatSync(abandoned).isSocket(), true);
  assert.equal(await probeSocket(abandoned), false);
  assert.equal(await probeSocket(path.join(root, "missing")), false);
});

test("R2 unknown status, kind, features and fields: listed and reachable", async (t) => {
  const sandbox = openSandbox(t);
  await listen(t, path.join(sandbox.root, "good.sock"));
  const extra = { status: "pondering", kind: "hovercraft", nameSource: "oracle", peerFeatures: ["teleport"], somethingNew: { a: 1 } };
  writeSession(t, sandbox, extra);
  const [entry] = readRegistry(sandbox.claudeConfig);
  assert.equal(entry?.unreachable, undefined);
  for (const [field, value] of Object.entries(extra)) assert.deepEqual(entry?.record?.raw[field], value);
});

test("T3 a session that is bridged elsewhere as well is reachable here all the same", async (t) => {
  const sandbox = openSandbox(t);
  await listen(t, path.join(sandbox.root, "good.sock"));
  writeSession(t, sandbox, { bridgeSessionId: "session_01AB" });
  const [entry] = readRegistry(sandbox.claudeConfig);
  assert.equal(entry?.unreachable, undefined);
  assert.equal(entry?.record?.bridgeSessionId, "session_01AB");
});

test("a record without a process start or a domain, as older versions write it, is judged by what it has", async (t) => {
  const sandbox = openSandbox(t);
  await listen(t, path.join(sandbox.root, "good.sock"));
  writeSession(t, sandbox, { procStart: undefined, pidDomain: undefined });
  assert.equal(readRegistry(sandbox.claudeConfig)[0]?.unreachable, undefined);
});

test("no registry is an empty one; other files in it are nobody's", (t) => {
  const { claudeConfig, sessions } = openSandbox(t);
  for (const name of ["x.json", "7.json.tmp", ".7.json.1.ab", "7.abc.key", "07.json", "-7.json"])
    fs.writeFileSync(path.join(sessions, name), "{}");
  assert.deepEqual(readRegistry(claudeConfig), []);
  assert.deepEqual(readRegistry(path.join(claudeConfig, "none")), []);
});

test("every reason is one line that can stand in a report", () => {
  for (const text of Object.values(unreachableReasons)) assert.match(text, /^\S[^\n.]*$/);
});
