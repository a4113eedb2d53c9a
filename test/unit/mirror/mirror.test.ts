import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { authLine } from "../../../src/claude/auth-line.ts";
import { deliver } from "../../../src/claude/deliver.ts";
import { buildEnvelope } from "../../../src/claude/envelope.ts";
import { type Frame, statusReceipt, userFrame } from "../../../src/claude/frames.ts";
import { readPeerToken } from "../../../src/claude/key-file.ts";
import { isAlive } from "../../../src/claude/process-identity.ts";
import { readRegistry } from "../../../src/claude/registry.ts";
import { type MirrorEnd, type MirrorOptions, openMirror } from "../../../src/mirror/mirror.ts";
import { eventually } from "../../support/eventually.ts";
import { startPeerProcess } from "../claude/peer-process.ts";
import { openSandbox, type Sandbox } from "../claude/sandbox.ts";

function openTestMirror(t: TestContext, sandbox: Sandbox, options: Partial<MirrorOptions> = {}) {
  const frames: Frame[] = [];
  const ends: MirrorEnd[] = [];
  const mirror = openMirror({
    name: "server-api",
    record: { agent: "claude-code-message", ccmHost: "server" },
    env: { ...process.env, ...sandbox.env },
    claudeConfig: sandbox.claudeConfig,
    onFrame: async (frame) => void frames.push(frame),
    onProblem: (message) => t.diagnostic(message),
    onExit: (end) => ends.push(end),
    ...options,
  });
  t.after(() => mirror.close());
  return { mirror, frames, ends };
}

function leftIn({ sessions, sockets }: Sandbox): string[] {
  return [sessions, sockets].flatMap((directory) => (fs.existsSync(directory) ? fs.readdirSync(directory) : []));
}

test("a mirror is listed under its name and hands on what local sessions write to it", async (t) => {
  const sandbox = openSandbox(t);
  const { mirror, frames } = openTestMirror(t, sandbox);
  const { pid, socketPath, address } = await mirror.ready;
  const [entry] = readRegistry(sandbox.claudeConfig);
  assert.equal(entry?.unreachable, undefined);
  assert.deepEqual([entry?.pid, entry?.record?.name, entry?.record?.raw["ccmHost"]], [pid, "server-api", "server"]);
  assert.equal(address, `uds:${socketPath}`);
  const token = readPeerToken(sandbox.claudeConfig, pid, socketPath);
  const frame = userFrame({ from: "uds:/x", content: "hello \ud800 作业" });
  await deliver({ socketPath, token, frame: { ...frame, unknown: [1] } });
  await eventually(() => frames.length === 1);
  assert.deepEqual(frames[0], { ...frame, unknown: [1] });
});

test("R3 R4 an update changes name, session and task, and takes fields away, at the same address", async (t) => {
  const sandbox = openSandbox(t);
  const { mirror } = openTestMirror(t, sandbox, { record: { ccmTask: "old", detail: "x" } });
  const { pid } = await mirror.ready;
  mirror.update({ name: "server-docs", sessionId: "s2", ccmTask: "new", detail: undefined });
  await eventually(() => readRegistry(sandbox.claudeConfig)[0]?.record?.name === "server-docs");
  const [entry] = readRegistry(sandbox.claudeConfig);
  assert.deepEqual(
    [entry?.pid, entry?.record?.sessionId, entry?.record?.raw["ccmTask"], entry?.record?.detail],
    [pid, "s2", "new", undefined],
  );
});

test("deliveries come from the mirror's own process, in order, and each is answered for itself", async (t) => {
  const sandbox = openSandbox(t);
  const session = await startPeerProcess(t, sandbox, "web-ui");
  const { mirror } = openTestMirror(t, sandbox);
  const ids = Array.from({ length: 20 }, (_, index) => String(index));
  const { address } = await mirror.ready;
  const send = (id: string) => mirror.deliver(session.identity, userFrame({ from: address, content: id, messageId: id }));
  const gone = { ...session.identity, procStart: "1" };
  const failure = assert.rejects(mirror.deliver(gone, userFrame({ from: address, content: "x" })), { code: "undeliverable" });
  await Promise.all(ids.map(send));
  await failure;
  await eventually(() => session.frames.length === ids.length);
  assert.deepEqual(
    session.frames.map(({ msg_id }) => msg_id),
    ids,
  );
});

test("what is asked before the mirror is ready waits for it", async (t) => {
  const sandbox = openSandbox(t);
  const session = await startPeerProcess(t, sandbox, "web-ui");
  const { mirror } = openTestMirror(t, sandbox);
  assert.equal(mirror.state.kind, "starting");
  await mirror.deliver(session.identity, { type: "user", msg_id: "early" });
  assert.equal(mirror.state.kind, "ready");
  await eventually(() => session.frames.length === 1);
});

test("a closed mirror leaves nothing, says so once, and takes no more orders", async (t) => {
  const sandbox = openSandbox(t);
  const { mirror, ends } = openTestMirror(t, sandbox);
  const { pid } = await mirror.ready;
  await Promise.all([mirror.close(), mirror.close()]);
  assert.deepEqual(leftIn(sandbox), []);
  assert.equal(isAlive(pid), false);
  assert.deepEqual(ends, [{ kind: "closed", error: undefined }]);
  mirror.update({ name: "ghost" });
  await assert.rejects(mirror.deliver({ pid, procStart: "1", socketPath: "/x" }, { type: "user" }), { code: "undeliverable" });
});

test("a mirror that is closed before it is ready settles everything", async (t) => {
  const sandbox = openSandbox(t);
  const { mirror, ends } = openTestMirror(t, sandbox);
  await mirror.close();
  await Promise.allSettled([mirror.ready]);
  assert.equal(ends[0]?.kind, "closed");
  assert.deepEqual(leftIn(sandbox), []);
});

test("R7 after kill -9 of a mirror its record, key and socket are gone within a second, and its owner is told", async (t) => {
  const sandbox = openSandbox(t);
  const { mirror, ends } = openTestMirror(t, sandbox);
  const { pid } = await mirror.ready;
  process.kill(pid, "SIGKILL");
  await eventually(() => ends.length === 1, { deadlineMs: 1_000 });
  assert.deepEqual(leftIn(sandbox), []);
  assert.equal(ends[0]?.kind, "died");
  assert.match(ends[0]?.error?.message ?? "", /ended by SIGKILL/);
});

test("what was handed to a mirror that is killed is unconfirmed", async (t) => {
  const sandbox = openSandbox(t);
  const { mirror } = openTestMirror(t, sandbox);
  const { pid } = await mirror.ready;
  process.kill(pid, "SIGSTOP");
  const pending = mirror.deliver({ pid: process.pid, procStart: "1", socketPath: "/x" }, { type: "user" });
  const rejected = assert.rejects(pending, { code: "unconfirmed" });
  process.kill(pid, "SIGKILL");
  await rejected;
});

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  test(`a mirror that gets ${signal} clears up after itself`, async (t) => {
    const sandbox = openSandbox(t);
    const { mirror, ends } = openTestMirror(t, sandbox);
    const { pid } = await mirror.ready;
    process.kill(pid, signal);
    await eventually(() => ends.length === 1);
    assert.deepEqual(leftIn(sandbox), []);
  });
}

/** A mirror whose daemon can be killed. */
async function startOwnedMirror(sandbox: Sandbox) {
  const program = path.join(import.meta.dirname, "fixtures", "mirror-owner.ts");
  const owner = spawn(process.execPath, [program], { env: { ...process.env, ...sandbox.env }, stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(owner, "exit");
  const [line] = await once(owner.stdout, "data");
  const { pid, socketPath } = JSON.parse(String(line)) as { pid: number; socketPath: string };
  const killOwner = async () => {
    owner.kill("SIGKILL");
    await exited;
  };
  return { pid, socketPath, killOwner };
}

test("a mirror leaves by itself when its daemon is killed with -9", async (t) => {
  const sandbox = openSandbox(t);
  const { pid, killOwner } = await startOwnedMirror(sandbox);
  assert.equal(isAlive(pid), true);
  await killOwner();
  await eventually(() => !isAlive(pid));
  assert.deepEqual(leftIn(sandbox), []);
});

test("the sender of a message that its mirror's daemon took along when it was killed is told so in words, before the mirror leaves", async (t) => {
  const sandbox = openSandbox(t);
  const session = await startPeerProcess(t, sandbox, "web-ui");
  const { pid, socketPath, killOwner } = await startOwnedMirror(sandbox);
  const token = readPeerToken(sandbox.claudeConfig, pid, socketPath);
  const from = `uds:${session.identity.socketPath}`;
  await deliver({ socketPath, token, frame: userFrame({ from, content: buildEnvelope({ from }, "is it\nmerged?") }) });
  await deliver({ socketPath, token, frame: statusReceipt({ from, status: "held", messageId: "1" }) });
  await killOwner();
  await eventually(() => session.frames.length === 1, { deadlineMs: 5_000 });
  const [notice] = session.frames;
  assert.equal(notice?.from, `uds:${socketPath}`);
  assert.match(JSON.stringify(notice), /Notice by ccm, not by server-api: it is not known whether your message «is it merged\?»/);
  await eventually(() => !isAlive(pid), { deadlineMs: 5_000 });
  assert.equal(session.frames.length, 1);
});

/** Writes a frame of 900,000 characters, makes `flag` when all of it is written, and exits with 0 if the mirror then hangs up in peace. */
const LARGE_SENDER = `
  const [socketPath, auth, flag] = process.argv.slice(1);
  const content = "x".repeat(900_000);
  const frame = { type: "user", msg_id: "large", from: "uds:/x", message: { role: "user", content } };
  const socket = require("node:net").connect({ path: socketPath, allowHalfOpen: true }, () => socket.end(auth + "\\n" + JSON.stringify(frame) + "\\n"));
  socket.on("finish", () => require("node:fs").writeFileSync(flag, "")).on("error", () => process.exit(1)).resume();
`;

test("a large message that a killed mirror had read and not handed on: its sender can be told, where it heard no error", async (t) => {
  const sandbox = openSandbox(t);
  const lost: unknown[] = [];
  const { mirror, frames, ends } = openTestMirror(t, sandbox, { onLost: (message) => lost.push(message) });
  const { pid, socketPath } = await mirror.ready;
  const token = readPeerToken(sandbox.claudeConfig, pid, socketPath) ?? "";
  const flag = path.join(sandbox.root, "written");
  const sender = spawn(process.execPath, ["-e", LARGE_SENDER, socketPath, authLine(token), flag], { stdio: "inherit" });
  const exited = once(sender, "exit");
  // This process is the daemon, and reads nothing while it is busy.
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  for (let looks = 0; looks < 400 && !fs.existsSync(flag); looks += 1) Atomics.wait(nothing, 0, 0, 25);
  Atomics.wait(nothing, 0, 0, 200);
  process.kill(pid, "SIGKILL");
  await eventually(() => ends.length === 1);
  const [code] = await exited;
  assert.equal(frames.length, 0);
  if (code === 0) assert.deepEqual(lost, [{ from: "uds:/x", messageId: "large" }]);
});

test("a mirror is closed only when what it has handed on is settled, and then tells nobody anything", async (t) => {
  const sandbox = openSandbox(t);
  const session = await startPeerProcess(t, sandbox, "web-ui");
  const relayed = Promise.withResolvers<void>();
  const handed = Promise.withResolvers<void>();
  const onFrame = () => {
    handed.resolve();
    return relayed.promise;
  };
  const { mirror, ends } = openTestMirror(t, sandbox, { onFrame });
  const { pid, socketPath } = await mirror.ready;
  const from = `uds:${session.identity.socketPath}`;
  const token = readPeerToken(sandbox.claudeConfig, pid, socketPath);
  await deliver({ socketPath, token, frame: userFrame({ from, content: "x" }) });
  await handed.promise;
  const closed = mirror.close();
  await mirror.deliver(session.identity, { type: "user", msg_id: "the outcome" });
  assert.equal(ends.length, 0);
  relayed.resolve();
  await closed;
  assert.deepEqual(
    session.frames.map(({ msg_id }) => msg_id),
    ["the outcome"],
  );
});

test("a message that meets a mirror on its way out fails for its sender, or is told as dropped: never neither", async (t) => {
  const sandbox = openSandbox(t);
  const session = await startPeerProcess(t, sandbox, "web-ui");
  const { mirror, frames } = openTestMirror(t, sandbox);
  const { pid, socketPath } = await mirror.ready;
  const from = `uds:${session.identity.socketPath}`;
  const token = readPeerToken(sandbox.claudeConfig, pid, socketPath);
  process.kill(pid, "SIGSTOP");
  const sent = deliver({ socketPath, token, frame: userFrame({ from, content: "x", messageId: "late" }) }).then(
    () => true,
    () => false,
  );
  const closed = mirror.close();
  process.kill(pid, "SIGCONT");
  await closed;
  assert.deepEqual(frames, []);
  if (await sent) {
    await eventually(() => session.frames.length === 1);
    assert.deepEqual([session.frames[0]?.["status"], session.frames[0]?.["orig_msg_id"]], ["dropped", "late"]);
  }
});

test("R6 a mirror that finds no safe place says so and leaves nothing", async (t) => {
  const sandbox = openSandbox(t);
  const blocked = path.join(sandbox.root, "blocked");
  fs.writeFileSync(blocked, "");
  // No socket directory can be made in a file, and the second choice belongs to the machine: so the config is what fails here.
  const { mirror, ends } = openTestMirror(t, sandbox, { claudeConfig: blocked });
  await assert.rejects(mirror.ready, { code: "state_unusable" });
  await eventually(() => ends.length === 1);
  assert.equal(ends[0]?.kind, "unusable");
  assert.deepEqual(leftIn(sandbox), []);
});

test("two mirrors that one owner has are two processes, and the end of one is nothing to the other", async (t) => {
  const sandbox = openSandbox(t);
  const first = openTestMirror(t, sandbox, { name: "server-a" });
  const second = openTestMirror(t, sandbox, { name: "server-b" });
  await Promise.all([first.mirror.ready, second.mirror.ready]);
  await first.mirror.close();
  assert.deepEqual(
    readRegistry(sandbox.claudeConfig).map(({ record, unreachable }) => [record?.name, unreachable]),
    [["server-b", undefined]],
  );
});
