import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { authLine } from "../../../src/claude/auth-line.ts";
import type { Frame } from "../../../src/claude/frames.ts";
import { listenInbox } from "../../../src/claude/inbox.ts";
import { SILENT_CONNECTION_MS } from "../../../src/claude/inbox-connection.ts";
import { probeSocket } from "../../../src/claude/probe-socket.ts";
import type { Clock } from "../../../src/core/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { openSandbox } from "./sandbox.ts";

const TOKEN = "b47df9aa6a41d2f21fe160972edbbd54";
const AUTH = `${authLine(TOKEN)}\n`;

async function openInbox(t: TestContext, options: { clock?: Clock; maxLineCharacters?: number; onFrame?: (frame: Frame) => unknown } = {}) {
  const socketPath = path.join(openSandbox(t).root, "i.sock");
  const frames: Frame[] = [];
  const problems: string[] = [];
  const inbox = await listenInbox({
    socketPath,
    token: TOKEN,
    onFrame: (frame) => frames.push(frame),
    onProblem: (message) => problems.push(message),
    ...options,
  });
  t.after(() => inbox.close());
  return { inbox, socketPath, frames, problems };
}

async function connect(t: TestContext, socketPath: string): Promise<net.Socket> {
  const socket = net.connect({ path: socketPath, allowHalfOpen: true });
  t.after(() => socket.destroy());
  socket.resume();
  await once(socket, "connect");
  return socket;
}

/** One connection, everything written, ended; settles when the inbox has hung up. */
async function send(t: TestContext, socketPath: string, ...chunks: (string | Buffer)[]): Promise<void> {
  const socket = await connect(t, socketPath);
  const closed = once(socket, "close");
  for (const chunk of chunks) socket.write(chunk);
  socket.end();
  await closed;
}

const frame = (id: string, extra: Record<string, unknown> = {}) => `${JSON.stringify({ type: "user", msg_id: id, ...extra })}\n`;

test("frames after the token arrive in order, with every field they came with", async (t) => {
  const { socketPath, frames, problems } = await openInbox(t);
  await send(t, socketPath, AUTH + frame("1", { somethingNew: { a: [null] } }) + frame("2"));
  assert.deepEqual(frames, [
    { type: "user", msg_id: "1", somethingNew: { a: [null] } },
    { type: "user", msg_id: "2" },
  ]);
  assert.deepEqual(problems, []);
});

test("the socket is this user's alone, and gone after closing", async (t) => {
  const { inbox, socketPath } = await openInbox(t);
  assert.equal(fs.statSync(socketPath).mode & 0o777, 0o600);
  await Promise.all([inbox.close(), inbox.close()]);
  assert.equal(fs.existsSync(socketPath), false);
});

test("R9 a complete line is handed over while its sender keeps the connection open", async (t) => {
  const { socketPath, frames } = await openInbox(t);
  const socket = await connect(t, socketPath);
  socket.write(AUTH + frame("held"));
  await eventually(() => frames.length === 1);
  assert.equal(socket.closed, false);
  socket.write(frame("again"));
  await eventually(() => frames.length === 2);
});

test("a sender that ends its side is answered with the end at once, as native ones expect", async (t) => {
  const { socketPath } = await openInbox(t);
  const socket = await connect(t, socketPath);
  const startedMs = performance.now();
  socket.end(AUTH + frame("1"));
  await once(socket, "close");
  assert.ok(performance.now() - startedMs < 1_000);
});

test("a probe that connects and says nothing is no problem", async (t) => {
  const { socketPath, problems } = await openInbox(t);
  assert.equal(await probeSocket(socketPath), true);
  await send(t, socketPath);
  assert.deepEqual(problems, []);
});

test("R8 nothing without the right token ever arrives", async (t) => {
  const { socketPath, frames, problems } = await openInbox(t);
  const wrong = ["x", "", `${TOKEN}0`, TOKEN.toUpperCase()].map((token) => `${authLine(token)}\n`);
  const notTokens = ['{"type":"auth"}\n', '{"type":"auth","token":1}\n', '{"type":"auth","token":null}\n', `{"token":"${TOKEN}"}\n`, ""];
  for (const first of [...wrong, ...notTokens]) await send(t, socketPath, first + frame("never"));
  await send(t, socketPath, `${AUTH}${authLine("x")}\n${frame("never")}`);
  assert.deepEqual(frames, []);
  assert.ok(problems.length >= 10);
});

test("R8 a bad line costs only itself: good frames of the same connection still arrive", async (t) => {
  const { socketPath, frames, problems } = await openInbox(t);
  const badLines = ["nonsense\n", "[1]\n", "null\n", '"x"\n', "{}\n", '{"type":7}\n', "\n"];
  await send(t, socketPath, "not json\n", AUTH, ...badLines, frame("good"), '{"type":"user","msg_id":"half');
  assert.deepEqual(
    frames.map(({ msg_id }) => msg_id),
    ["good"],
  );
  assert.equal(problems.length, badLines.length + 2);
});

test("R8 frames that lack what others have, or hold a lone surrogate, arrive as they are", async (t) => {
  const { socketPath, frames } = await openInbox(t);
  const odd = [
    '{"type":"user"}',
    '{"type":"user","message":"text"}',
    '{"type":"user","message":{"content":"\\ud800"}}',
    '{"type":"control"}',
  ];
  await send(t, socketPath, AUTH + odd.join("\n"));
  assert.deepEqual(
    frames.map((each) => JSON.stringify(each)),
    odd,
  );
});

test("R8 a character cut between two reads comes out whole", async (t) => {
  const { socketPath, frames } = await openInbox(t);
  const bytes = Buffer.from(AUTH + frame("作业😀"));
  const socket = await connect(t, socketPath);
  for (const byte of bytes) {
    if (!socket.write(Buffer.of(byte))) await once(socket, "drain");
  }
  socket.end();
  await once(socket, "close");
  assert.equal(frames[0]?.msg_id, "作业😀");
});

test("R8 2 MiB without a newline, or one line over the limit, is dropped and named; what follows arrives", async (t) => {
  const { socketPath, frames, problems } = await openInbox(t);
  await send(t, socketPath, AUTH, "x".repeat(2 * 1_048_576), `\n${frame("after")}`);
  assert.deepEqual(
    frames.map(({ msg_id }) => msg_id),
    ["after"],
  );
  assert.deepEqual(problems, ["inbox: a client sent a line of more than 1048576 characters"]);
  await send(t, socketPath, AUTH, "x".repeat(2 * 1_048_576));
  await send(t, socketPath, AUTH + frame("next"));
  assert.equal(frames.length, 2);
});

test("R8 a client with no end of faults does not fill the log", async (t) => {
  const { socketPath, problems } = await openInbox(t);
  await send(t, socketPath, "x\n".repeat(5_000));
  assert.equal(problems.length, 10);
  assert.match(problems.at(-1) ?? "", /further faults are not reported/);
});

test("R8 what fails behind the inbox is a problem to report, and the next frame still comes", async (t) => {
  const seen: Frame[] = [];
  const onFrame = (each: Frame) => {
    seen.push(each);
    if (seen.length === 1) throw new Error("no room");
  };
  const { socketPath, problems } = await openInbox(t, { onFrame });
  await send(t, socketPath, AUTH + frame("1") + frame("2"));
  assert.equal(seen.length, 2);
  assert.deepEqual(problems, ["inbox: a client sent a frame that could not be taken: no room"]);
});

test("a connection that has sent no full line for 30 s is closed; one that goes on is not", async (t) => {
  const clock = new ManualClock();
  const { socketPath, frames } = await openInbox(t, { clock });
  const silent = await connect(t, socketPath);
  const talking = await connect(t, socketPath);
  const silentEnded = once(silent, "end");
  await eventually(() => clock.pendingTimers === 2);
  silent.write('{"type":"au');
  clock.advance(SILENT_CONNECTION_MS - 1);
  talking.write(AUTH + frame("1"));
  await eventually(() => frames.length === 1);
  clock.advance(1);
  await silentEnded;
  talking.write(frame("2"));
  await eventually(() => frames.length === 2);
});

test("a client that resets in the middle of a line leaves the inbox listening", async (t) => {
  const { socketPath, frames } = await openInbox(t);
  const socket = await connect(t, socketPath);
  socket.write(`${AUTH}{"type":"us`);
  socket.destroy();
  await send(t, socketPath, AUTH + frame("next"));
  assert.equal(frames.length, 1);
});

test("a client is hung up on when its frames are taken, not before", async (t) => {
  const taking = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let count = 0;
  const { socketPath } = await openInbox(t, { onFrame: () => taking[count++]?.promise });
  let hungUp = false;
  const sent = send(t, socketPath, AUTH + frame("1") + frame("2")).then(() => {
    hungUp = true;
  });
  await eventually(() => count === 2);
  taking[1]?.reject(new Error("also an answer"));
  await probeSocket(socketPath);
  assert.equal(hungUp, false);
  taking[0]?.resolve();
  await sent;
});

test("a socket of ours that nobody listens on any more is replaced; one that is in use is not", async (t) => {
  const { socketPath } = await openInbox(t);
  const options = { token: TOKEN, onFrame: () => {}, onProblem: () => {} };
  await assert.rejects(listenInbox({ ...options, socketPath }), { code: "state_unusable" });
  const stale = `${socketPath}.stale`;
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(`${stale}.original`, resolve));
  fs.renameSync(`${stale}.original`, stale);
  await new Promise((resolve) => server.close(resolve));
  const inbox = await listenInbox({ ...options, socketPath: stale });
  assert.equal(await probeSocket(stale), true);
  await inbox.close();
});
