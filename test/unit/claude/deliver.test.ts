import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { authLine } from "../../../src/claude/auth-line.ts";
import { DELIVERY_DEADLINE_MS, deliver, deliverBatch, frameLine } from "../../../src/claude/deliver.ts";
import { buildEnvelope, rewriteSender } from "../../../src/claude/envelope.ts";
import { type Frame, isUserFrame, MAX_LINE_CHARACTERS, userFrame } from "../../../src/claude/frames.ts";
import { listenInbox } from "../../../src/claude/inbox.ts";
import { eventually } from "../../support/eventually.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { openSandbox } from "./sandbox.ts";

const TOKEN = "b47df9aa6a41d2f21fe160972edbbd54";
const FROM = "uds:/run/user/1500/cc-socks/60.sock";

async function openInbox(t: TestContext) {
  const socketPath = path.join(openSandbox(t).root, "i.sock");
  const frames: Frame[] = [];
  const inbox = await listenInbox({
    socketPath,
    token: TOKEN,
    onFrame: (frame) => frames.push(frame),
    onProblem: (text) => t.diagnostic(text),
  });
  t.after(() => inbox.close());
  return { socketPath, frames };
}

/** A receiver that does with a connection whatever the test wants. */
async function openReceiver(t: TestContext, onConnection: (socket: net.Socket) => void): Promise<string> {
  const socketPath = path.join(openSandbox(t).root, "r.sock");
  const sockets = new Set<net.Socket>();
  const server = net.createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return socketPath;
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

function messageOfBody(body: string): Frame {
  return userFrame({ from: FROM, content: buildEnvelope({ from: FROM, fromName: "web-ui", fromMode: "bypass" }, body) });
}

function bodyOf(frame: Frame | undefined): string {
  if (!frame || !isUserFrame(frame)) return "";
  return frame.message.content.replace(/^[^\n]*\n/, "").replace(/\n<\/cross-session-message>$/, "");
}

test("T5 bodies up to the limit arrive hash-identical; one character more is refused before anything is written", async (t) => {
  const { socketPath, frames } = await openInbox(t);
  const overhead = `${authLine(TOKEN)}\n${JSON.stringify(messageOfBody(""))}\n`.length;
  const largest = MAX_LINE_CHARACTERS - overhead;
  for (const size of [1_024, 5_120, 65_536, 921_600, largest - 1, largest]) {
    const body = "0123456789abcdef".repeat(Math.ceil(size / 16)).slice(0, size);
    await deliver({ socketPath, token: TOKEN, frame: messageOfBody(body) });
    assert.equal(sha256(bodyOf(frames.pop())), sha256(body), `${size} characters`);
  }
  const tooLarge = deliver({ socketPath, token: TOKEN, frame: messageOfBody("x".repeat(largest + 1)) });
  await assert.rejects(tooLarge, { code: "too_large", message: /takes 1048577 characters on the wire; the limit is 1048576/ });
  assert.equal(frames.length, 0);
});

test("T5 characters outside ASCII count as Claude Code counts them, and arrive whole", async (t) => {
  const { socketPath, frames } = await openInbox(t);
  const body = "作业😀é".repeat(100_000);
  await deliver({ socketPath, token: TOKEN, frame: messageOfBody(body) });
  assert.equal(sha256(bodyOf(frames[0])), sha256(body));
});

test("T5 a frame that a rewrite made too long is refused, not cut", async (t) => {
  const { socketPath, frames } = await openInbox(t);
  const overhead = `${authLine(TOKEN)}\n${JSON.stringify(messageOfBody(""))}\n`.length;
  const frame = messageOfBody("x".repeat(MAX_LINE_CHARACTERS - overhead));
  if (!isUserFrame(frame)) throw new Error("not a user frame");
  const content = rewriteSender(frame.message.content, { from: FROM, fromName: "laptop-web-ui" }) ?? "";
  const rewritten = { ...frame, message: { ...frame.message, content } };
  await assert.rejects(deliver({ socketPath, token: TOKEN, frame: rewritten }), { code: "too_large" });
  assert.equal(frames.length, 0);
});

test("several frames go through one connection, in order", async (t) => {
  const { socketPath, frames } = await openInbox(t);
  await deliverBatch({ socketPath, token: () => TOKEN, lines: ["1", "2", "3"].map((id) => frameLine({ type: "user", msg_id: id })) });
  assert.deepEqual(
    frames.map(({ msg_id }) => msg_id),
    ["1", "2", "3"],
  );
});

test("where nobody can take the message, that is what is said", async (t) => {
  const { root } = openSandbox(t);
  const { socketPath: good } = await openInbox(t);
  const at = (name: string) => path.join(root, name);
  fs.writeFileSync(at("file"), "");
  fs.symlinkSync(good, at("link"));
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(at("abandoned.original"), resolve));
  fs.renameSync(at("abandoned.original"), at("abandoned"));
  await new Promise((resolve) => server.close(resolve));
  const expected: [string, RegExp][] = [
    ["missing", /no such socket/],
    ["file", /not a socket/],
    ["link", /a symlink/],
    ["abandoned", /nobody listens there any more/],
  ];
  for (const [name, message] of expected) {
    await assert.rejects(deliver({ socketPath: at(name), token: TOKEN, frame: messageOfBody("x") }), { code: "undeliverable", message });
  }
});

test("T1 a receiver that takes the bytes and never hangs up was written to, and no more is claimed", async (t) => {
  const clock = new ManualClock();
  const connected = Promise.withResolvers<net.Socket>();
  const socketPath = await openReceiver(t, (socket) => connected.resolve(socket.resume()));
  const delivered = deliver({ socketPath, token: TOKEN, frame: messageOfBody("x"), clock });
  const socket = await connected.promise;
  await once(socket, "end");
  clock.advance(DELIVERY_DEADLINE_MS);
  await delivered;
});

test("a receiver that does not read what its kernel cannot hold never had the message", async (t) => {
  const clock = new ManualClock();
  const connected = Promise.withResolvers<void>();
  const socketPath = await openReceiver(t, () => connected.resolve());
  const delivered = deliver({ socketPath, token: TOKEN, frame: messageOfBody("x".repeat(900_000)), clock });
  await connected.promise;
  clock.advance(DELIVERY_DEADLINE_MS);
  await assert.rejects(delivered, { code: "undeliverable", message: /has not read the message within 5 s/ });
});

test("a receiver that goes away without reading never had the message", async (t) => {
  const socketPath = await openReceiver(t, (socket) => socket.destroy());
  const frame = messageOfBody("x".repeat(900_000));
  await assert.rejects(deliver({ socketPath, token: TOKEN, frame }), { code: "undeliverable" });
  await assert.rejects(deliverBatch({ socketPath, token: () => TOKEN, lines: [frameLine(frame), frameLine(frame)] }), {
    code: "unconfirmed",
  });
});

test("an abort settles a delivery at once, and says whether the receiver may have it", async (t) => {
  const connected = Promise.withResolvers<net.Socket>();
  const socketPath = await openReceiver(t, (socket) => connected.resolve(socket));
  const before = deliver({ socketPath, token: TOKEN, frame: messageOfBody("x"), signal: AbortSignal.abort() });
  await assert.rejects(before, { code: "undeliverable" });
  const abort = new AbortController();
  const during = deliver({ socketPath, token: TOKEN, frame: messageOfBody("x"), signal: abort.signal });
  const socket = await connected.promise;
  socket.resume();
  await once(socket, "end");
  await eventually(() => socket.readableEnded);
  abort.abort();
  await assert.rejects(during, { code: /unconfirmed|undeliverable/ });
});
