import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { isAlive } from "../../../src/claude/process-identity.ts";
import { eventually } from "../../support/eventually.ts";
import { ChatHome } from "../cli/fixtures/chat-home.ts";
import { leftIn, listedNames, startPair } from "./home-of-peers.ts";
import { PeerUnderTest } from "./peer-under-test.ts";

test("what is held waits for a decision: released, denied, or expired when the peer ends; each is told", async (t) => {
  const { bot, other } = await startPair(t, [], ["--inbound", "hold"]);
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

test("T2 a session that is killed is gone, also for who had a subscription to it", async (t) => {
  const home = new ChatHome(t);
  const [bot, session] = await Promise.all([PeerUnderTest.start(t, home, ["--name", "bot"]), home.session({ name: "api" })]);
  const { subscription } = await bot.command({ op: "subscribe", to: "api" });
  await bot.command({ op: "send", to: "api", text: "hello" });
  await eventually(() => session.frames.length === 2);
  await session.kill("SIGKILL");
  const gone = await bot.event("gone");
  assert.deepEqual([gone.subscription, gone.name], [subscription, "api"]);
  assert.equal((await bot.command({ op: "send", to: "api", text: "hello" })).ok, false);
});

test("an alias is a name of its own: listed when first used, replaced when it dies, retired on request", async (t) => {
  const { home, bot, other } = await startPair(t, ["--alias", "ops"]);
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

test("kill -9 of a peer leaves no name, no file and no process; whose message it held is told that nobody knows", async (t) => {
  const { home, bot, other } = await startPair(t, [], ["--inbound", "hold"]);
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

test("a peer, and after it one whose input ends, one that is told to close and one that gets SIGTERM: each leaves nothing", async (t) => {
  const home = new ChatHome(t);
  const ends: readonly ((peer: PeerUnderTest) => Promise<number | null>)[] = [
    (peer) => peer.end(),
    (peer) => peer.close(),
    (peer) => peer.kill("SIGTERM"),
  ];
  for (const end of ends) {
    const peer = await PeerUnderTest.start(t, home, ["--name", "bot", "--alias", "ops"]);
    await peer.command({ op: "alias", name: "ops", start: true });
    assert.deepEqual([await end(peer), leftIn(home), peer.stderr], [0, [], ""]);
  }
});

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
