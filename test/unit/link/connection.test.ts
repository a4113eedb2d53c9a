import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { type Duplex, duplexPair } from "node:stream";
import { type TestContext, test } from "node:test";
import { LinkConnection, LinkRefused, type LinkStream } from "../../../src/link/connection.ts";
import type { Hello, LinkOp } from "../../../src/link/protocol.ts";
import { eventually } from "../../support/eventually.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const hello = (machine: string): Hello => ({
  op: "hello",
  protocol: { min: 1, max: 1 },
  version: "1.0.0",
  commit: "c",
  machine,
  label: machine,
  boot: "b",
});

function streamOf(duplex: Duplex): LinkStream {
  return { readable: duplex, writable: duplex, close: () => duplex.destroy() };
}

/** A connection of ours, and the bare other end of its stream. */
function open(context: TestContext) {
  const clock = new ManualClock();
  const [ours, theirs] = duplexPair();
  const connection = new LinkConnection({ stream: streamOf(ours), clock });
  const said: string[] = [];
  theirs.on("data", (chunk: Buffer) => said.push(...chunk.toString().split("\n").filter(Boolean)));
  theirs.on("error", () => undefined);
  ours.on("error", () => undefined);
  context.after(() => {
    connection.close("the test is over");
    theirs.destroy();
  });
  const ops: LinkOp[] = [];
  const say = (value: unknown) => theirs.write(typeof value === "string" ? `${value}\n` : `${JSON.stringify(value)}\n`);
  return {
    clock,
    connection,
    theirs,
    said,
    say,
    ops,
    listen: () =>
      connection.listen(
        (op) => ops.push(op),
        () => undefined,
      ),
  };
}

test("exchanges hellos, then ops, those that come before anyone listens included", async (context) => {
  const { connection, say, said, ops, listen } = open(context);
  connection.greet(hello("laptop"));
  say({ ...hello("server"), some_later_field: true });
  say({ op: "ack", seq: 7 });
  assert.equal((await connection.ready).machine, "server");
  await eventually(() => said.length === 1);
  listen();
  await eventually(() => ops.length === 1);
  say({ op: "ack", seq: 8 });
  await eventually(() => ops.length === 2);
  assert.deepEqual(ops, [
    { op: "ack", seq: 7 },
    { op: "ack", seq: 8 },
  ]);
});

test("L6 after hello nothing malformed ends the link, each is reported, and what follows is heard", async (context) => {
  const { connection, say, said, ops, listen } = open(context);
  say(hello("server"));
  await connection.ready;
  listen();
  for (const bad of [
    "[1]",
    "{",
    "null",
    '{"op":"no_such_op"}',
    '{"op":"frame","seq":0}',
    '{"op":"frame","seq":1,"from":{},"to":"x","frame":{}}',
  ])
    say(bad);
  say({ op: "members", members: [{ name: "without a pid" }, 5, { id: "1.2", pid: 1, procStart: "2", name: "good", status: 7 }] });
  await eventually(() => ops.length === 1);
  assert.equal(JSON.stringify(ops), '[{"op":"members","members":[{"id":"1.2","pid":1,"procStart":"2","name":"good"}]}]');
  assert.equal(said.filter((line) => line.includes('"problem"')).length, 6);
});

test("L6 a line of 20 MiB is skipped, not held, and the link goes on", async (context) => {
  const { connection, theirs, say, said, ops, listen } = open(context);
  say(hello("server"));
  await connection.ready;
  listen();
  const chunk = Buffer.alloc(1024 * 1024, "x");
  for (let part = 0; part < 20; part += 1) if (!theirs.write(chunk)) await new Promise((resolve) => theirs.once("drain", resolve));
  say("");
  say({ op: "ack", seq: 1 });
  await eventually(() => ops.length === 1, { deadlineMs: 10_000 });
  assert.equal(said.filter((line) => line.includes("longer than")).length, 1);
});

test("L6 ops before hello end the connection, with what came instead", async (context) => {
  const { connection, say } = open(context);
  say({ op: "members", members: [] });
  await assert.rejects(connection.ready, { code: "protocol_violated" });
});

test("L8 a build with another range of protocol versions is named, and what to do", async (context) => {
  const { connection, say } = open(context);
  say({ ...hello("server"), version: "9.0.0", protocol: { min: 7, max: 9 } });
  await assert.rejects(connection.ready, (error: Error & { code: string; hint: string }) => {
    assert.equal(error.code, "protocol_unsupported");
    assert.match(error.message, /9\.0\.0 there speaks link protocol 7 to 9, this one 1 to 1/);
    assert.match(error.hint, /ccm restart/);
    return true;
  });
});

test("a refusal carries its reason, before and after hello", async (context) => {
  const early = open(context);
  early.say({ op: "refuse", code: "already_linked", message: "one link serves both" });
  await assert.rejects(early.connection.ready, (error) => error instanceof LinkRefused && error.reason === "already_linked");
  const late = open(context);
  late.say(hello("server"));
  await late.connection.ready;
  late.listen();
  late.say({ op: "refuse", code: "twin", message: "x\u001b[31my" });
  const error = await late.connection.closed;
  assert.ok(error instanceof LinkRefused);
  assert.equal(error.message, "xy");
});

test("no hello within the deadline ends it", async (context) => {
  const { connection, clock } = open(context);
  clock.advance(15_000);
  await assert.rejects(connection.ready, { code: "timeout" });
  assert.equal(clock.pendingTimers, 0);
});

test("a silent side is dead within 15 s; one that answers pings is not", async (context) => {
  const { connection, clock, say, said } = open(context);
  say(hello("server"));
  await connection.ready;
  clock.advance(3_000);
  await eventually(() => said.some((line) => line.includes("ping")));
  say({ op: "pong" });
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(9_000);
  clock.advance(6_000);
  assert.equal((await connection.closed).code, "peer_silent");
});

test("an end without a word is a lost link; what is sent after it goes nowhere", async (context) => {
  const { connection, theirs, say } = open(context);
  say(hello("server"));
  await connection.ready;
  theirs.destroy();
  assert.equal((await connection.closed).code, "link_down");
  assert.equal(connection.send({ op: "ping" }), false);
});
