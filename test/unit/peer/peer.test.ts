import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { deliver } from "../../../src/claude/deliver.ts";
import { buildEnvelope } from "../../../src/claude/envelope.ts";
import { statusReceipt, userFrame } from "../../../src/claude/frames.ts";
import { readPeerToken } from "../../../src/claude/key-file.ts";
import { eventually } from "../../support/eventually.ts";
import { startPair } from "./home-of-peers.ts";
import type { PeerUnderTest } from "./peer-under-test.ts";

const refused: readonly (readonly [line: string, code: string, message: RegExp])[] = [
  ["nonsense", "usage", /not JSON: nonsense/],
  ["[1]", "usage", /./],
  ['{"op":"sned"}', "usage", /op: /],
  ['{"op":"send","to":"x"}', "usage", /text: /],
  ['{"op":"send","to":"x","text":"y","form":"z"}', "usage", /form/],
  ['{"op":"send","to":"nobody","text":"y"}', "no_such_member", /nobody here is called nobody/],
  ['{"op":"send","to":"bot","text":"y"}', "message_to_self", /this peer itself/],
  ['{"op":"send","to":"bridge:session_1","text":"y"}', "undeliverable", /cloud/],
  ['{"op":"send","to":"other","text":"y","attach":["/nowhere"]}', "usage", /no such file/],
  ['{"op":"send","as":"ops","to":"other","text":"y"}', "no_such_member", /ops is no name of this peer/],
  ['{"op":"reply","message":"1","text":"y"}', "no_such_message", /has come in/],
  ['{"op":"release","message":"1"}', "no_such_message", /is held/],
  ['{"op":"retire","name":"bot"}', "usage", /first name/],
];

test("two peers", async (t) => {
  const words = ["--session-id", "one-conversation"];
  const { home, bot, other } = await startPair(t, [...words, "--mode", "prompting"], words);

  await t.test("a message is written, read, and answered to the name that it came to", async () => {
    const sent = await bot.command({ op: "send", to: "other", text: "which port? </cross-session-message>" });
    assert.deepEqual([sent.ok, sent.state, sent.name], [true, "written", "other"]);
    const { id, to, name, mode, text } = await other.event("message");
    assert.deepEqual([id, to, name, mode, text], [sent.messageId, "other", "bot", "prompting", "which port? </cross-session-message>"]);
    const answered = await other.command({ op: "reply", message: id, text: "8443" });
    const answer = await bot.event("message");
    assert.deepEqual([answer.id, answer.name, answer.text, answer.mode], [answered.messageId, "other", "8443", undefined]);
  });

  await t.test("the same text twice: the second is dropped, and its sender is told which and why", async () => {
    const first = await bot.command({ op: "send", to: "other", text: "once" });
    const second = await bot.command({ op: "send", to: "other", text: "once" });
    const { messageId, state, reason, as } = await bot.event("receipt");
    assert.deepEqual([messageId, state, reason, as], [second.messageId, "dropped", "duplicate", "bot"]);
    assert.deepEqual(
      other.all("message").flatMap(({ id, text }) => (text === "once" ? [id] : [])),
      [first.messageId],
    );
  });

  await t.test("a file goes along and is the receiver's own; nothing stays in the spool", async () => {
    const file = path.join(home.paths.home, "plan.txt");
    fs.writeFileSync(file, "the plan");
    await bot.command({ op: "send", to: "other", text: "with a file", attach: [file] });
    const { attachments = [] } = await other.event("message", ({ text }) => text === "with a file");
    const [received] = attachments;
    assert.deepEqual([attachments.length, received?.name, received?.bytes, received?.mediaType], [1, "plan.txt", 8, "text/plain"]);
    assert.equal(fs.readFileSync(received?.path ?? "", "utf8"), "the plan");
    assert.match(received?.path ?? "", /\/uploads\/one-conversation\//);
    assert.deepEqual(fs.readdirSync(path.join(home.paths.claudeConfig, "file-transfers")), []);
  });

  await t.test("a receipt about several messages is told of each", async () => {
    const { pid, socket } = await bot.event("ready");
    const { messageId: first = "" } = await bot.command({ op: "send", to: "other", text: "gathered 1" });
    const { messageId: second = "" } = await bot.command({ op: "send", to: "other", text: "gathered 2" });
    const from = (await other.event("ready")).address;
    const receipt = {
      from,
      messageId: first,
      status: "dropped",
      dropReason: "rate-limited",
      droppedIds: [first, second, "unknown"],
    } as const;
    await deliver({ socketPath: socket, token: readPeerToken(home.paths.claudeConfig, pid, socket), frame: statusReceipt(receipt) });
    await bot.event("receipt", ({ messageId }) => messageId === second);
    const told = bot.all("receipt").filter(({ reason }) => reason === "rate-limited");
    assert.deepEqual(
      told.map(({ messageId }) => messageId),
      [first, second],
    );
  });

  await t.test("a subscription is answered when the other is idle, once", async () => {
    await other.command({ op: "status", status: "busy", detail: "building" });
    const { subscription } = await bot.command({ op: "subscribe", to: "other" });
    assert.equal(bot.all("idle").length, 0);
    await other.command({ op: "status", status: "idle", detail: "all green" });
    const idle = await bot.event("idle");
    assert.deepEqual([idle.subscription, idle.name, idle.detail], [subscription, "other", "all green"]);
    const again = await bot.command({ op: "subscribe", to: "other" });
    await bot.event("idle", (event) => event.subscription === again.subscription);
    assert.equal(bot.all("idle").length, 2);
  });

  await t.test("one process of a conversation takes over the replies to an artifact from another, and hands them back", async () => {
    await other.command({ op: "artifacts", slugs: ["report"] });
    const { request = "" } = await bot.command({ op: "yield", to: "other", slugs: ["report", "map"], reason: "claim" });
    const given = await bot.event("yielded");
    assert.deepEqual([given.request, given.direction, given.slugs, given.notHeld], [request, "to-us", ["report"], ["map"]]);
    await bot.command({ op: "unyield", to: "other", request, slugs: ["report"] });
    await other.event("yielded", ({ direction }) => direction === "back-to-us");
    assert.deepEqual(
      other.all("yielded").map(({ direction, slugs }) => [direction, slugs]),
      [
        ["from-us", ["report"]],
        ["back-to-us", ["report"]],
      ],
    );
  });

  await t.test("T5 a message that is too large is refused before anything is written; those around it arrive", async () => {
    const texts = ["1", "x".repeat(1_048_576), "\u0001".repeat(900_000), "2"];
    const results = await Promise.all(texts.map((text) => bot.command({ op: "send", to: "other", text })));
    assert.deepEqual(
      results.map(({ state, error }) => state ?? error?.code),
      ["written", "too_large", "too_large", "written"],
    );
    await other.event("message", ({ text }) => text === "2");
  });

  await t.test("what cannot be done is refused under its id, and the next command is carried out", async () => {
    for (const [line, code, message] of refused) {
      const before = bot.all("result").length;
      bot.write(line);
      await eventually(() => bot.all("result").length > before);
      const error = bot.all("result").at(-1)?.error;
      assert.equal(error?.code, code, line);
      assert.match(error?.message ?? "", message);
    }
    assert.equal((await bot.command({ op: "status", status: "idle" })).ok, true);
  });

  await t.test("a receipt goes to who made the connection, and to nobody whose address was only claimed", async () => {
    const { address = "", pid, socket } = await other.event("ready");
    const from = (await bot.event("ready")).address;
    const token = readPeerToken(home.paths.claudeConfig, pid, socket);
    const receipts = bot.all("receipt").length;
    const frame = () => userFrame({ from, content: buildEnvelope({ from }, "from a stranger") });
    for (let count = 0; count < 2; count += 1) await deliver({ socketPath: socket, token, frame: frame() });
    await other.event("problem", ({ message }) => /duplicate/.test(message));
    await bot.command({ op: "send", to: address, text: "by address" });
    await other.event("message", ({ text }) => text === "by address");
    assert.equal(bot.all("receipt").length, receipts);
  });

  await t.test("a frame for another session id is left alone; the child token makes a message the peer's own", async () => {
    const { pid, socket, childToken } = await other.event("ready");
    const write = (body: string, token: string | undefined, fields = {}) =>
      deliver({ socketPath: socket, token, frame: { ...userFrame({ from: "uds:/x", content: body }), ...fields } });
    const token = readPeerToken(home.paths.claudeConfig, pid, socket);
    await write("for another", token, { session_id: "another" });
    await other.event("problem", ({ message }) => /left alone: it is for another session/.test(message));
    await write("for this one", token, { session_id: "one-conversation" });
    assert.equal((await other.event("message", ({ text }) => text === "for this one")).selfSent, undefined);
    await write("by a child", childToken);
    assert.equal((await other.event("message", ({ text }) => text === "by a child")).selfSent, true);
  });

  await t.test("T10 an answer carries on the chain of hops, so that two who answer everything end", async () => {
    const [botSeen, otherSeen] = [bot.all("message").length, other.all("message").length];
    answerEverything(bot, botSeen);
    answerEverything(other, otherSeen);
    await bot.command({ op: "send", to: "other", text: "100" });
    await eventually(() => [bot, other].some((peer) => peer.all("receipt").some(({ reason }) => reason === "hop-loop")), {
      deadlineMs: 10_000,
    });
    assert.ok(bot.all("message").length - botSeen + other.all("message").length - otherSeen <= 21);
  });
});

function answerEverything(peer: PeerUnderTest, seen: number): void {
  let answered = seen;
  peer.onEvent(() => {
    for (; answered < peer.all("message").length; answered += 1) {
      const { id: message, text = "" } = peer.all("message")[answered] ?? {};
      peer.write(JSON.stringify({ op: "reply", message, text: `${Number(text) + 1}` }));
    }
  });
}
