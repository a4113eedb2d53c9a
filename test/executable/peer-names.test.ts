import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { isAlive } from "../../src/claude/process-identity.ts";
import { executable, notBuilt } from "../support/built-executable.ts";
import { eventually } from "../support/eventually.ts";
import { ChatHome } from "../unit/cli/fixtures/chat-home.ts";
import { leftIn, listedNames, startPair } from "../unit/peer/home-of-peers.ts";
import { PeerUnderTest } from "../unit/peer/peer-under-test.ts";

test("what is held waits for a decision: released, denied, or expired when the peer ends; each is told", { skip: notBuilt }, async (t) => {
  const { bot, other } = await startPair(t, [], ["--inbound", "hold"], executable);
  const ids: string[] = [];
  for (const text of ["one", "two", "three"]) ids.push((await bot.command({ op: "send", to: "other", text })).messageId ?? "");
  const [one = "", two = "", three = ""] = ids;
  const held = await other.event("held", ({ id }) => id === three);
  assert.deepEqual([held.text, held.cause, other.all("message").length], ["three", "policy", 0]);
  assert.equal((await other.command({ op: "release", message: one })).ok, true);
  assert.equal((await other.event("message")).text, "one");
  assert.equal((await other.command({ op: "deny", message: two })).ok, true);
  assert.equal((await other.command({ op: "deny", message: two })).error?.code, "no_such_message");
  const { subscription } = await bot.command({ op: "status", status: "busy" }).then(async () => {
    await other.command({ op: "status", status: "busy" });
    return bot.command({ op: "subscribe", to: "other" });
  });
  await other.end();
  await bot.event("receipt", ({ messageId, state }) => messageId === three && state === "expired");
  const states = (id: string) => bot.all("receipt").flatMap(({ messageId, state }) => (messageId === id ? [state] : []));
  assert.deepEqual(ids.map(states), [
    ["held", "delivered"],
    ["held", "denied"],
    ["held", "expired"],
  ]);
  const gone = await bot.event("gone");
  assert.deepEqual([gone.subscription, gone.name], [subscription, "other"]);
});

test("who takes nothing says so; parity holds a message of another class and lets its own class through", { skip: notBuilt }, async (t) => {
  const home = new ChatHome(t);
  const start = (name: string, words: readonly string[]) => PeerUnderTest.start(t, home, ["--name", name, ...words], executable);
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

test("N1 who takes a name that another session has is listed, and told", { skip: notBuilt }, async (t) => {
  const home = new ChatHome(t);
  await PeerUnderTest.start(t, home, ["--name", "bot"], executable);
  const second = await PeerUnderTest.start(t, home, ["--name", "bot"], executable);
  assert.match((await second.event("problem")).message, /^bot is the name of another session as well/);
  assert.deepEqual(listedNames(home), ["bot", "bot"]);
});

test("T2 a session that is killed is gone, also for who had a subscription to it", { skip: notBuilt }, async (t) => {
  const home = new ChatHome(t);
  const [bot, session] = await Promise.all([PeerUnderTest.start(t, home, ["--name", "bot"], executable), home.session({ name: "api" })]);
  const { subscription } = await bot.command({ op: "subscribe", to: "api" });
  await bot.command({ op: "send", to: "api", text: "hello" });
  await eventually(() => session.frames.length === 2);
  await session.kill("SIGKILL");
  const gone = await bot.event("gone");
  assert.deepEqual([gone.subscription, gone.name], [subscription, "api"]);
  assert.equal((await bot.command({ op: "send", to: "api", text: "hello" })).ok, false);
});

test("an alias is a name of its own: listed when first used, replaced when it dies, retired on request", { skip: notBuilt }, async (t) => {
  const { home, bot, other } = await startPair(t, ["--alias", "ops"], [], executable);
  assert.deepEqual(listedNames(home), ["bot", "other"]);
  await bot.command({ op: "send", as: "ops", to: "other", text: "from ops" });
  const { id, name } = await other.event("message");
  assert.equal(name, "ops");
  await other.command({ op: "reply", message: id, text: "to ops" });
  assert.equal((await bot.event("message")).to, "ops");
  assert.equal(new Set(bot.all("ready").map(({ pid }) => pid)).size, 2);

  const { pid, address, sessionId } = await bot.event("ready", (ready) => ready.name === "ops");
  process.kill(pid, "SIGKILL");
  const again = await bot.event("ready", (ready) => ready.name === "ops" && ready.pid !== pid);
  assert.notEqual(again.address, address);
  assert.equal(again.sessionId, sessionId);
  await other.command({ op: "send", to: "ops", text: "still there?" });
  const asked = await bot.event("message", ({ text }) => text === "still there?");
  await bot.command({ op: "reply", message: asked.id, text: "yes" });
  assert.equal((await other.event("message", ({ text }) => text === "yes")).name, "ops");

  await bot.command({ op: "retire", name: "ops" });
  assert.deepEqual(listedNames(home), ["bot", "other"]);
  assert.equal((await bot.command({ op: "send", as: "ops", to: "other", text: "x" })).error?.code, "no_such_member");
});

test("kill -9 of a peer leaves no name, no file and no process; whose message it held is told that nobody knows", {
  skip: notBuilt,
}, async (t) => {
  const { home, bot, other } = await startPair(t, [], ["--inbound", "hold"], executable);
  await other.command({ op: "alias", name: "other-ops", start: true });
  await bot.command({ op: "send", to: "other", text: "held for ever?" });
  await bot.event("receipt", ({ state }) => state === "held");
  const pids = other.all("ready").map(({ pid }) => pid);
  await other.kill("SIGKILL");
  await eventually(() => pids.every((pid) => !isAlive(pid)), { deadlineMs: 10_000 });
  assert.deepEqual([pids.length, listedNames(home), leftIn(home).length], [2, ["bot"], 3]);
  await bot.event("gone", ({ name }) => name === "other");
  const notice = await bot.event("message");
  assert.match(notice.text, /not known whether your message «held for ever\?» reached .*\(the program behind it ended\)/s);
});

test("what nobody reads is not piled up: from the 51st on messages are dropped for a full queue, and told", {
  skip: notBuilt,
}, async (t) => {
  const home = new ChatHome(t);
  const [bot, other] = [
    await PeerUnderTest.start(t, home, ["--name", "bot"], executable),
    await PeerUnderTest.start(t, home, ["--name", "other"], executable),
  ];
  other.stopReading();
  const text = "x".repeat(20_000);
  const names = ["bot", "ops", "qa"];
  for (const name of names) bot.write(JSON.stringify({ op: "alias", name }));
  const sends = Array.from({ length: 75 }, (_, index) =>
    bot.command({ op: "send", as: names[index % 3], to: "other", text: `${index} ${text}` }),
  );
  for (const { state } of await Promise.all(sends)) assert.equal(state, "written");
  await bot.event("receipt", ({ reason }) => reason === "queue-full");
  other.readOn();
  await other.event("problem", ({ message }) => message === "other: a message was dropped: queue-full");
  const read = other.all("message").length;
  assert.ok(read >= 50 && read < 75, `${read} read`);
});

test("a peer, and after it one whose input ends, one that is told to close and one that gets SIGTERM: each leaves nothing", {
  skip: notBuilt,
}, async (t) => {
  const home = new ChatHome(t);
  const ends: readonly ((peer: PeerUnderTest) => Promise<number | null>)[] = [
    (peer) => peer.end(),
    (peer) => peer.close(),
    (peer) => peer.kill("SIGTERM"),
  ];
  for (const end of ends) {
    const peer = await PeerUnderTest.start(t, home, ["--name", "bot", "--alias", "ops"], executable);
    await peer.command({ op: "alias", name: "ops", start: true });
    assert.deepEqual([await end(peer), leftIn(home), peer.stderr], [0, [], ""]);
  }
});

test("what was begun before the end of the input is done: a message by a pipe arrives", { skip: notBuilt }, async (t) => {
  const home = new ChatHome(t);
  const other = await PeerUnderTest.start(t, home, ["--name", "other"], executable);
  const bot = new PeerUnderTest(home, ["--name", "bot"], executable);
  bot.write('{"op":"send","to":"other","text":"built"}');
  assert.equal(await bot.end(), 0);
  assert.equal(bot.all("result")[0]?.state, "written");
  assert.equal((await other.event("message")).text, "built");
});
