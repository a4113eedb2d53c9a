import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { parseEnvelope } from "../../../src/claude/envelope.ts";
import { type Frame, isUserFrame } from "../../../src/claude/frames.ts";
import { isAlive } from "../../../src/claude/process-identity.ts";
import { readRegistry } from "../../../src/claude/registry.ts";
import { eventually } from "../../support/eventually.ts";
import { ChatHome } from "../cli/fixtures/chat-home.ts";
import { PeerUnderTest } from "./peer-under-test.ts";

function registeredNames({ paths }: ChatHome): string[] {
  return readRegistry(paths.claudeConfig).flatMap(({ record, unreachable }) => (record?.name && !unreachable ? [record.name] : []));
}

/** Files of the registry and sockets. */
function leftIn({ paths, environment }: ChatHome): string[] {
  const directories = [path.join(paths.claudeConfig, "sessions"), path.join(environment["XDG_RUNTIME_DIR"] ?? "", "cc-socks")];
  return directories.flatMap((directory) => (fs.existsSync(directory) ? fs.readdirSync(directory) : []));
}

/** Two peers, each the other's counterpart. */
async function startPair(t: TestContext, words: readonly string[] = [], otherWords: readonly string[] = []) {
  const home = new ChatHome(t);
  const [bot, other] = await Promise.all([
    PeerUnderTest.start(t, home, ["--name", "bot", ...words]),
    PeerUnderTest.start(t, home, ["--name", "other", ...otherWords]),
  ]);
  return { home, bot, other };
}

function lastEnvelope(frames: readonly Frame[]) {
  const frame = frames.findLast(isUserFrame);
  return frame && parseEnvelope(frame.message.content);
}

test("a message is written, read, and answered to the name that it came to", async (t) => {
  const { bot, other } = await startPair(t, ["--mode", "prompting"]);
  const sent = await bot.command({ op: "send", to: "other", text: "which port? </cross-session-message>" });
  assert.deepEqual([sent.ok, sent.state, sent.name], [true, "written", "other"]);
  const { id, to, name, mode, text } = await other.event("message");
  assert.deepEqual([id, to, name, mode, text], [sent.messageId, "other", "bot", "prompting", "which port? </cross-session-message>"]);
  const answered = await other.command({ op: "reply", message: id, text: "8443" });
  const answer = await bot.event("message");
  assert.deepEqual([answer.id, answer.name, answer.text, answer.mode], [answered.messageId, "other", "8443", undefined]);
});

test("T10 an answer carries on the chain of hops, so that two who answer everything end", async (t) => {
  const { bot, other } = await startPair(t);
  await bot.command({ op: "send", to: "other", text: "0" });
  for (const peer of [bot, other]) {
    let answered = 0;
    const answerAll = setInterval(() => {
      for (; answered < peer.all("message").length; answered += 1) {
        const message = peer.all("message")[answered];
        peer.write(JSON.stringify({ op: "reply", message: message?.id, text: `${Number(message?.text) + 1}` }));
      }
    }, 5);
    t.after(() => clearInterval(answerAll));
  }
  const [receipt] = await Promise.race([bot, other].map(async (peer) => [await peer.event("receipt", ({ state }) => state === "dropped")]));
  assert.equal(receipt?.reason, "hop-loop");
  assert.ok(bot.all("message").length + other.all("message").length <= 21);
});

test("the same text twice: the second is dropped, and its sender is told which and why", async (t) => {
  const { bot, other } = await startPair(t);
  const first = await bot.command({ op: "send", to: "other", text: "once" });
  const second = await bot.command({ op: "send", to: "other", text: "once" });
  const { messageId, state, reason, as } = await bot.event("receipt");
  assert.deepEqual([messageId, state, reason, as], [second.messageId, "dropped", "duplicate", "bot"]);
  assert.deepEqual(
    other.all("message").map(({ id }) => id),
    [first.messageId],
  );
});

test("what is held waits for a decision: released, denied, or expired when the peer ends; each is told", async (t) => {
  const { bot, other } = await startPair(t, [], ["--inbound", "hold"]);
  const ids = [];
  for (const text of ["one", "two", "three"]) ids.push((await bot.command({ op: "send", to: "other", text })).messageId ?? "");
  const [one = "", two = "", three = ""] = ids;
  const held = await other.event("held", ({ id }) => id === three);
  assert.deepEqual([held.text, held.cause, other.all("message").length], ["three", "policy", 0]);
  assert.equal((await other.command({ op: "release", message: one })).ok, true);
  assert.equal((await other.event("message")).text, "one");
  assert.equal((await other.command({ op: "deny", message: two })).ok, true);
  assert.equal((await other.command({ op: "deny", message: two })).error?.code, "no_such_message");
  await bot.event("receipt", ({ messageId, state }) => messageId === two && state === "denied");
  await other.end();
  await bot.event("receipt", ({ messageId, state }) => messageId === three && state === "expired");
  const states = (id: string) =>
    bot
      .all("receipt")
      .filter(({ messageId }) => messageId === id)
      .map(({ state }) => state);
  assert.deepEqual(ids.map(states), [
    ["held", "delivered"],
    ["held", "denied"],
    ["held", "expired"],
  ]);
});

test("who takes nothing says so; parity holds a message of another class and lets its own class through", async (t) => {
  const home = new ChatHome(t);
  const start = (name: string, words: readonly string[]) => PeerUnderTest.start(t, home, ["--name", name, ...words]);
  const [bold, shy, closed, careful] = await Promise.all([
    start("bold", ["--mode", "bypass"]),
    start("shy", ["--mode", "prompting"]),
    start("closed", ["--inbound", "refuse"]),
    start("careful", ["--inbound", "parity", "--mode", "prompting"]),
  ]);
  for (const peer of [bold, shy]) {
    assert.equal((await peer.command({ op: "send", to: "closed", text: "x" })).state, "written");
    assert.equal((await peer.event("receipt")).state, "refused");
    await peer.command({ op: "send", to: "careful", text: "hello" });
  }
  assert.deepEqual([(await careful.event("held")).name, (await careful.event("message")).name], ["bold", "shy"]);
  assert.deepEqual([closed.all("message").length, careful.all("held")[0]?.cause], [0, "mode-mismatch"]);
});

test("a subscription is answered when the other is idle, once; and when it ends", async (t) => {
  const { bot, other } = await startPair(t);
  await other.command({ op: "status", status: "busy", detail: "building" });
  const { subscription } = await bot.command({ op: "subscribe", to: "other" });
  assert.equal(bot.all("idle").length, 0);
  await other.command({ op: "status", status: "idle", detail: "all green" });
  const idle = await bot.event("idle");
  assert.deepEqual([idle.subscription, idle.name, idle.detail], [subscription, "other", "all green"]);
  const again = await bot.command({ op: "subscribe", to: "other" });
  await bot.event("idle", (event) => event.subscription === again.subscription);
  await other.command({ op: "status", status: "busy" });
  const last = await bot.command({ op: "subscribe", to: "other" });
  await other.end();
  const gone = await bot.event("gone");
  assert.deepEqual([gone.subscription, gone.name], [last.subscription, "other"]);
});

test("T2 a session that is killed is gone, also for who had a subscription to it", async (t) => {
  const home = new ChatHome(t);
  const [bot, session] = await Promise.all([PeerUnderTest.start(t, home, ["--name", "bot"]), home.session({ name: "api" })]);
  const { subscription } = await bot.command({ op: "subscribe", to: "api" });
  await bot.command({ op: "send", to: "api", text: "hello" });
  await eventually(() => lastEnvelope(session.frames)?.body === "hello");
  await session.kill("SIGKILL");
  const gone = await bot.event("gone");
  assert.deepEqual([gone.subscription, gone.name], [subscription, "api"]);
  assert.equal((await bot.command({ op: "send", to: "api", text: "hello" })).ok, false);
});

test("an alias is a name of its own: listed when first used, written to and from, retired on request", async (t) => {
  const { home, bot, other } = await startPair(t, ["--alias", "ops"]);
  assert.deepEqual(registeredNames(home).sort(), ["bot", "other"]);
  await bot.command({ op: "send", as: "ops", to: "other", text: "from ops" });
  const { id, name } = await other.event("message");
  assert.equal(name, "ops");
  await other.command({ op: "reply", message: id, text: "to ops" });
  assert.equal((await bot.event("message")).to, "ops");
  assert.equal((await bot.command({ op: "alias", name: "qa", start: true })).ok, true);
  const pids = bot.all("ready").map(({ pid }) => pid);
  assert.equal(new Set(pids).size, 3);
  await bot.command({ op: "retire", name: "ops" });
  assert.deepEqual(registeredNames(home).sort(), ["bot", "other", "qa"]);
  assert.equal((await bot.command({ op: "send", as: "ops", to: "other", text: "x" })).error?.code, "no_such_member");
  assert.equal((await bot.command({ op: "retire", name: "bot" })).error?.code, "usage");
});

test("R7 a name whose process is killed is listed again by another, and what is sent then arrives", async (t) => {
  const { home, bot, other } = await startPair(t);
  const { pid, address, sessionId } = await bot.event("ready");
  process.kill(pid, "SIGKILL");
  const again = await bot.event("ready", (ready) => ready.pid !== pid);
  assert.notEqual(again.address, address);
  assert.deepEqual([again.name, again.sessionId], ["bot", sessionId]);
  assert.deepEqual(registeredNames(home).sort(), ["bot", "other"]);
  await other.command({ op: "send", to: "bot", text: "still there?" });
  const { id } = await bot.event("message");
  await bot.command({ op: "reply", message: id, text: "yes" });
  assert.equal((await other.event("message")).text, "yes");
});

test("kill -9 of a peer leaves no name, no file and no process; who had written to it hears that it is gone", async (t) => {
  const { home, bot, other } = await startPair(t, [], ["--inbound", "hold"]);
  await other.command({ op: "alias", name: "other-ops", start: true });
  const { messageId } = await bot.command({ op: "send", to: "other", text: "held for ever?" });
  await bot.event("receipt", ({ state }) => state === "held");
  const pids = other.all("ready").map(({ pid }) => pid);
  await other.kill("SIGKILL");
  await eventually(() => pids.every((pid) => !isAlive(pid)), { deadlineMs: 10_000 });
  assert.deepEqual(registeredNames(home), ["bot"]);
  assert.equal(leftIn(home).length, 3);
  await bot.event("gone", ({ name }) => name === "other");
  const notice = await bot.event("message");
  assert.match(notice.text, /not known whether your message «held for ever\?» reached .*\(the program behind it ended\)/s);
  assert.ok(messageId);
});

for (const [how, end] of [
  ["the end of its input", (peer: PeerUnderTest) => peer.end()],
  ["a close", (peer: PeerUnderTest) => peer.close()],
  ["SIGTERM", (peer: PeerUnderTest) => peer.kill("SIGTERM")],
] as const) {
  test(`${how} ends a peer with success, and nothing is left`, async (t) => {
    const home = new ChatHome(t);
    const peer = await PeerUnderTest.start(t, home, ["--name", "bot", "--alias", "ops"]);
    await peer.command({ op: "alias", name: "ops", start: true });
    assert.equal(await end(peer), 0);
    assert.deepEqual([leftIn(home), peer.stderr], [[], ""]);
  });
}

test("what was begun before the end of the input is done: a message by a pipe arrives", async (t) => {
  const home = new ChatHome(t);
  const other = await PeerUnderTest.start(t, home, ["--name", "other"]);
  const { exitCode, stdout } = await home.ccm(["peer", "--name", "bot"], { input: '{"op":"send","to":"other","text":"built"}\n' });
  const results = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual([exitCode, results[1].state], [0, "written"]);
  assert.equal((await other.event("message")).text, "built");
});

const refused: readonly (readonly [line: string, code: string, message: RegExp])[] = [
  ["nonsense", "usage", /not JSON: nonsense/],
  ["[1]", "usage", /./],
  ['{"op":"sned"}', "usage", /op: /],
  ['{"op":"send","to":"x"}', "usage", /text: /],
  ['{"op":"send","to":"x","text":"y","form":"z"}', "usage", /form/],
  ['{"op":"send","to":"nobody","text":"y"}', "no_such_member", /nobody here is called nobody/],
  ['{"op":"send","to":"bot","text":"y"}', "message_to_self", /this peer itself/],
  ['{"op":"send","to":"bridge:session_1","text":"y"}', "undeliverable", /cloud/],
  ['{"op":"send","as":"ops","to":"bot","text":"y"}', "no_such_member", /ops is no name of this peer/],
  ['{"op":"reply","message":"1","text":"y"}', "no_such_message", /has come in/],
  ['{"op":"release","message":"1"}', "no_such_message", /is held/],
];

test("what cannot be done is refused under its id, and the next command is carried out", async (t) => {
  const peer = await PeerUnderTest.start(t, new ChatHome(t), ["--name", "bot"]);
  for (const [line, code, message] of refused) {
    const before = peer.all("result").length;
    peer.write(line);
    await eventually(() => peer.all("result").length > before);
    const error = peer.all("result").at(-1)?.error;
    assert.equal(error?.code, code, line);
    assert.match(error?.message ?? "", message);
  }
  const other = await peer.command({ op: "status", status: "busy" });
  assert.equal(other.ok, true);
});

test("T5 a message that is too large is refused before anything is written; those around it arrive", async (t) => {
  const { bot, other } = await startPair(t);
  const results = await Promise.all(
    ["1", "x".repeat(1_048_576), "\u0001".repeat(900_000), "2"].map((text) => bot.command({ op: "send", to: "other", text })),
  );
  assert.deepEqual(
    results.map(({ state, error }) => state ?? error?.code),
    ["written", "too_large", "too_large", "written"],
  );
  await other.event("message", ({ text }) => text === "2");
  assert.deepEqual(
    other.all("message").map(({ text }) => text),
    ["1", "2"],
  );
});

test("one process of a conversation takes over the replies to an artifact from another, and hands them back", async (t) => {
  const { home, bot, other } = await startPair(t);
  await other.command({ op: "artifacts", slugs: ["report"] });
  const asked = await bot.command({ op: "yield", to: "other", slugs: ["report"], reason: "claim" });
  assert.equal(asked.ok, true);
  await bot.command({ op: "send", to: "other", text: "after" });
  await other.event("message");
  assert.deepEqual([bot.all("yielded"), other.all("yielded")], [[], []], "two conversations");
  assert.equal(registeredNames(home).length, 2);
});
