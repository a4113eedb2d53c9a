import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { deliver } from "../../../src/claude/deliver.ts";
import { type Frame, userFrame } from "../../../src/claude/frames.ts";
import { readPeerToken } from "../../../src/claude/key-file.ts";
import { openPeer, type Peer } from "../../../src/claude/peer.ts";
import { removePeerFiles } from "../../../src/claude/peer-files.ts";
import { readRegistry } from "../../../src/claude/registry.ts";
import { eventually } from "../../support/eventually.ts";
import { startPeerProcess } from "./peer-process.ts";
import { openSandbox, type Sandbox, startProcess } from "./sandbox.ts";

async function openTestPeer(t: TestContext, sandbox: Sandbox, record: Record<string, unknown> = {}) {
  const frames: Frame[] = [];
  const peer = await openPeer({
    claudeConfig: sandbox.claudeConfig,
    env: sandbox.env,
    record: { name: "laptop-web-ui", ...record },
    onFrame: (frame) => frames.push(frame),
    onProblem: (message) => t.diagnostic(message),
  });
  t.after(() => peer.close());
  return { peer, frames };
}

function recordOf({ sessions }: Sandbox, { pid }: Peer): Record<string, unknown> {
  return JSON.parse(fs.readFileSync(path.join(sessions, `${pid}.json`), "utf8"));
}

test("a peer is in the registry like a session: reachable, with its key, under its name", async (t) => {
  const sandbox = openSandbox(t);
  const { peer, frames } = await openTestPeer(t, sandbox, { agent: "claude-code-message", cwd: "/srv/app" });
  const [entry] = readRegistry(sandbox.claudeConfig);
  assert.equal(entry?.unreachable, undefined);
  assert.equal(entry?.record?.name, "laptop-web-ui");
  assert.equal(entry?.record?.agent, "claude-code-message");
  assert.equal(entry?.record?.messagingSocketPath, path.join(sandbox.sockets, `${process.pid}.sock`));
  assert.equal(peer.address, `uds:${peer.socketPath}`);
  const token = readPeerToken(sandbox.claudeConfig, peer.pid, peer.socketPath);
  await deliver({ socketPath: peer.socketPath, token, frame: { type: "user", msg_id: "1" } });
  assert.equal(frames.length, 1);
});

test("R4 a new session id, name, task or status leaves the address alone; times follow what changed", async (t) => {
  const sandbox = openSandbox(t);
  const { peer } = await openTestPeer(t, sandbox);
  const before = recordOf(sandbox, peer);
  peer.update({ sessionId: "another", name: "laptop-docs", status: "busy", ccmTask: "fix the parser", pid: 1, messagingSocketPath: "/x" });
  const after = recordOf(sandbox, peer);
  for (const field of ["pid", "procStart", "pidDomain", "messagingSocketPath", "startedAt"])
    assert.equal(after[field], before[field], field);
  assert.deepEqual(
    [after["sessionId"], after["name"], after["status"], after["ccmTask"]],
    ["another", "laptop-docs", "busy", "fix the parser"],
  );
  peer.update({ ccmTask: undefined });
  assert.equal("ccmTask" in recordOf(sandbox, peer), false);
});

test("an update that changes nothing writes nothing", async (t) => {
  const sandbox = openSandbox(t);
  const { peer } = await openTestPeer(t, sandbox);
  const inode = () => fs.statSync(path.join(sandbox.sessions, `${peer.pid}.json`)).ino;
  const before = inode();
  peer.update({ status: "idle", name: "laptop-web-ui" });
  assert.equal(inode(), before);
  peer.update({ status: "busy" });
  assert.notEqual(inode(), before);
});

test("N2 N3 no name puts control characters or markup into the record", async (t) => {
  const sandbox = openSandbox(t);
  const { peer } = await openTestPeer(t, sandbox, { name: 'a\u001b[31m\n"<b>' });
  assert.equal(recordOf(sandbox, peer)["name"], "a [31m b");
  peer.update({ name: "\n" });
  assert.equal(recordOf(sandbox, peer)["name"], "unnamed");
  peer.update({ name: "作业-1" });
  assert.equal(recordOf(sandbox, peer)["name"], "作业-1");
});

test("a closed peer leaves nothing, is not brought back by an update, and may be closed again", async (t) => {
  const sandbox = openSandbox(t);
  const { peer } = await openTestPeer(t, sandbox);
  await peer.close();
  peer.update({ name: "ghost" });
  await peer.close();
  peer.closeSync();
  assert.deepEqual(fs.readdirSync(sandbox.sessions), []);
  assert.deepEqual(fs.readdirSync(sandbox.sockets), []);
});

test("a peer that cannot write its record leaves nothing behind", async (t) => {
  const sandbox = openSandbox(t);
  fs.mkdirSync(path.join(sandbox.sessions, `${process.pid}.json`));
  await assert.rejects(openTestPeer(t, sandbox), { code: "state_unusable" });
  assert.deepEqual(fs.readdirSync(sandbox.sessions), [`${process.pid}.json`]);
  assert.deepEqual(fs.readdirSync(sandbox.sockets), []);
});

test("L9 40 quick messages to one session arrive in their order, those to another do not wait", async (t) => {
  const sandbox = openSandbox(t);
  const [first, second] = await Promise.all([startPeerProcess(t, sandbox, "first"), startPeerProcess(t, sandbox, "second")]);
  const { peer } = await openTestPeer(t, sandbox);
  const ids = Array.from({ length: 40 }, (_, index) => String(index));
  const send = (id: string) => userFrame({ from: peer.address, content: id, messageId: id });
  await Promise.all([...ids.map((id) => peer.deliver(first.identity, send(id))), peer.deliver(second.identity, send("x"))]);
  await eventually(() => first.frames.length === 40 && second.frames.length === 1);
  assert.deepEqual(
    first.frames.map(({ msg_id }) => msg_id),
    ids,
  );
  await peer.idle();
});

test("T2 what is sent to a session that was killed is undeliverable, also after its process id went to another", async (t) => {
  const sandbox = openSandbox(t);
  const { peer } = await openTestPeer(t, sandbox);
  const session = await startPeerProcess(t, sandbox, "victim");
  const frame = userFrame({ from: peer.address, content: "x" });
  await session.kill("SIGKILL");
  await assert.rejects(peer.deliver(session.identity, frame), { code: "undeliverable", message: /no longer there/ });
  const other = startProcess(t);
  const recycled = { ...session.identity, pid: other.pid };
  await assert.rejects(peer.deliver(recycled, frame), { code: "undeliverable", message: /no longer there/ });
});

test("a message that is too large is refused, those around it arrive", async (t) => {
  const sandbox = openSandbox(t);
  const session = await startPeerProcess(t, sandbox, "target");
  const { peer } = await openTestPeer(t, sandbox);
  const send = (content: string) => peer.deliver(session.identity, userFrame({ from: peer.address, content }));
  const results = await Promise.allSettled([send("1"), send("x".repeat(1_048_400)), send("y".repeat(1_048_576)), send("2")]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["fulfilled", "rejected", "rejected", "fulfilled"],
  );
  await eventually(() => session.frames.length === 2);
});

test("R7 the files of a dead process are removed, those of whoever has its process id now are not", async (t) => {
  const sandbox = openSandbox(t);
  const session = await startPeerProcess(t, sandbox, "victim");
  const { identity } = session;
  removePeerFiles(sandbox.claudeConfig, { ...identity, procStart: "1" });
  assert.equal(fs.readdirSync(sandbox.sessions).length, 2);
  assert.equal(fs.existsSync(identity.socketPath), true);
  await session.kill("SIGKILL");
  removePeerFiles(sandbox.claudeConfig, identity);
  assert.deepEqual(fs.readdirSync(sandbox.sessions), []);
  assert.deepEqual(fs.readdirSync(sandbox.sockets), []);
});
