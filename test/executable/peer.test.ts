import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { deliver } from "../../src/claude/deliver.ts";
import { buildEnvelope } from "../../src/claude/envelope.ts";
import { userFrame } from "../../src/claude/frames.ts";
import { readPeerToken } from "../../src/claude/key-file.ts";
import { isAlive } from "../../src/claude/process-identity.ts";
import { executable, notBuilt } from "../support/built-executable.ts";
import { eventually } from "../support/eventually.ts";
import { ChatHome } from "../unit/cli/fixtures/chat-home.ts";
import { leftIn, listedNames } from "../unit/peer/home-of-peers.ts";
import { PeerUnderTest } from "../unit/peer/peer-under-test.ts";

test("the executable asks the kernel who has connected: a stranger with another's address gets that one no receipt", {
  skip: notBuilt,
}, async (t) => {
  const home = new ChatHome(t);
  const [bot, other] = await Promise.all(["bot", "other"].map((name) => PeerUnderTest.start(t, home, ["--name", name], executable)));
  assert.ok(bot && other);
  const { pid, socket } = await other.event("ready");
  const { address: from } = await bot.event("ready");
  const token = readPeerToken(home.paths.claudeConfig, pid, socket);
  const strange = () => userFrame({ from, content: buildEnvelope({ from }, "strange") });
  for (let count = 0; count < 2; count += 1) await deliver({ socketPath: socket, token, frame: strange() });
  for (let count = 0; count < 2; count += 1) await bot.command({ op: "send", to: "other", text: "own" });
  await bot.event("receipt");
  const drops = () => other.all("problem").filter(({ message }) => /dropped: duplicate/.test(message));
  await eventually(() => drops().length === 2);
  assert.deepEqual([bot.all("receipt").length, bot.stderr, other.stderr], [1, "", ""]);
});

test("kill -9 of a peer with aliases: no name, no file and no process of it stays", { skip: notBuilt }, async (t) => {
  const home = new ChatHome(t);
  const peer = await PeerUnderTest.start(t, home, ["--name", "bot"], executable);
  for (const name of ["ops", "qa"]) await peer.command({ op: "alias", name, start: true });
  assert.deepEqual(listedNames(home), ["bot", "ops", "qa"]);
  const pids = peer.all("ready").map(({ pid }) => pid);
  await peer.kill("SIGKILL");
  await eventually(() => pids.every((pid) => !isAlive(pid)));
  assert.deepEqual(leftIn(home), []);
});

test("kill -9 of a peer and all of its processes at once: no name stays, and the next peer clears the files away", {
  skip: notBuilt,
}, async (t) => {
  const home = new ChatHome(t);
  const peer = await PeerUnderTest.start(t, home, ["--name", "bot"], executable);
  await peer.command({ op: "alias", name: "ops", start: true });
  const pids = peer.all("ready").map(({ pid }) => pid);
  const exited = peer.kill("SIGSTOP");
  for (const pid of pids) process.kill(pid, "SIGKILL");
  process.kill(peer.pid, "SIGKILL");
  await exited;
  await eventually(() => pids.every((pid) => !isAlive(pid)));
  assert.deepEqual(listedNames(home), []);
  const next = await PeerUnderTest.start(t, home, ["--name", "next"], executable);
  assert.equal(leftIn(home).length, 3);
  assert.deepEqual(await next.end(), 0);
  assert.deepEqual(leftIn(home), []);
});
