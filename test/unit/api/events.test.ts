import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { once } from "node:events";
import net from "node:net";
import path from "node:path";
import { test } from "node:test";
import { EventRing } from "../../../src/api/event-ring.ts";
import { eventStream } from "../../../src/api/event-stream.ts";
import { openSocketDoor } from "../../../src/api/http-door.ts";
import { RateLimit } from "../../../src/api/rate-limit.ts";
import { idleSubscriptionSchema } from "../../../src/api/schema.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { TestMachine } from "../../support/test-machine.ts";
import { startApi } from "./api-client.ts";

const DEADLINE = { deadlineMs: 10_000 };

test("who comes back with the last id gets what was missed, each event once and in order", async (context) => {
  const laptop = new TestMachine(context, "laptop");
  const { client } = await startApi(context, laptop);
  const api = await laptop.session("api");
  const first = await client.events();
  await api.send("bot", "one");
  const { id } = await first.next("message.received");
  first.close();
  await eventually(() => first.isOver, DEADLINE);
  await api.send("bot", "two", "three");
  const second = await client.events(id);
  await api.send("bot", "four");
  await second.next("message.received", ({ text }) => text === "four");
  const bodies = second.events.filter(({ event }) => event === "message.received").map(({ data }) => data.text);
  assert.deepEqual(bodies.toSorted(), ["four", "three", "two"]);
  assert.equal(bodies.at(-1), "four");
  assert.equal(new Set(second.events.map((event) => event.id)).size, second.events.length);
  second.close();
  const fresh = await client.events();
  await api.send("bot", "five");
  assert.equal((await fresh.next("message.received")).data.text, "five");
  fresh.close();
});

test("an id that this process never gave is answered with a gap, and then with what is still kept", async (context) => {
  const laptop = new TestMachine(context, "laptop");
  const { client } = await startApi(context, laptop);
  const api = await laptop.session("api");
  await api.send("bot", "one");
  await eventually(async () => (await client.ask("/messages?direction=in")).text.includes("one"), DEADLINE);
  for (const id of ["00000000-7", "nonsense", "\u00ff", `${"9".repeat(30)}`]) {
    const events = await client.events(id);
    await events.next("message.received", ({ text }) => text === "one");
    assert.equal(events.events[0]?.event, "gap");
    const again = await client.events(events.events[0]?.id);
    await again.next("message.received");
    assert.ok(again.events.every(({ event }) => event !== "gap"));
    for (const reader of [events, again]) reader.close();
  }
});

test("sessions that come and go are told of", async (context) => {
  const laptop = new TestMachine(context, "laptop");
  const { client } = await startApi(context, laptop);
  const events = await client.events();
  const api = await laptop.session("api");
  assert.equal((await events.next("session.joined")).data.name, "api");
  await api.order({ op: "rename", name: "renamed" });
  await events.next("session.changed", ({ name }) => name === "renamed");
  await api.end("SIGKILL");
  assert.equal((await events.next("session.left")).data.name, "renamed");
  events.close();
});

test("the ring forgets the oldest, by number and by size, and says how many a reader has missed", () => {
  const ring = new EventRing({ maxEvents: 3, maxCharacters: 100 });
  const start = ring.positionOf(undefined);
  for (const number of [1, 2, 3, 4, 5]) ring.push("x", { number });
  const gap = ring.read(start);
  assert.match(gap?.gap ?? "", /^2 events are no longer kept/);
  const numbers = [];
  for (let read = gap && ring.read(gap.position); read; read = ring.read(read.position)) numbers.push(read.event?.number);
  assert.deepEqual(numbers, [3, 4, 5]);
  const behind = ring.positionOf(ring.idOf(5));
  ring.push("x", { long: "y".repeat(60) });
  ring.push("x", { long: "z".repeat(60) });
  assert.match(ring.read(behind)?.gap ?? "", /^1 events/);
  ring.push("x", { long: "y".repeat(200) });
  assert.equal(ring.read(ring.positionOf(undefined)), undefined);
});

test("a reader that does not read costs nothing and is told of its gap; a quiet stream says that it is still there", async () => {
  const clock = new ManualClock();
  const ring = new EventRing({ maxEvents: 2, maxCharacters: 1_000 });
  const closing = new AbortController();
  const streams = new Set();
  const reader = eventStream({ ring, lastEventId: undefined, clock, closing: closing.signal, streams }).getReader();
  const next = async () => new TextDecoder().decode((await reader.read()).value);
  assert.equal(await next(), "retry: 1000\n\n");
  const quiet = next();
  await eventually(() => clock.pendingTimers === 1);
  clock.advance(15_000);
  assert.equal(await quiet, ": still here\n\n");
  for (const number of [1, 2, 3, 4]) ring.push("x", { number, text: "a\nb" });
  assert.match(await next(), /^id: \w+-2\nevent: gap\ndata: \{"reason":"2 events .*\n\n$/);
  assert.match(await next(), /^id: \w+-3\nevent: x\ndata: \{"number":3,"text":"a\\nb"\}\n\n$/);
  assert.equal(streams.size, 1);
  await next();
  const last = reader.read();
  closing.abort();
  assert.deepEqual([(await last).done, streams.size, clock.pendingTimers], [true, 0, 0]);
});

test("a session is asked to say when it is idle; its notice, its exit and its end without a word", async (context) => {
  const laptop = await new TestMachine(context, "laptop").start();
  const { client } = await startApi(context, laptop);
  const [api, web] = [await laptop.session("api"), await laptop.session("web")];
  const events = await client.events();
  const subscribe = (to: string) =>
    client.get("/idle-subscriptions", idleSubscriptionSchema, { method: "POST", body: { to }, status: 201 });
  const fetchOne = (id: string) => client.get(`/idle-subscriptions/${id}`, idleSubscriptionSchema);
  const notice = (id: string, fields: object) => ({ type: "control", action: "peer_idle_notice", msgV: 1, orig_msg_id: id, ...fields });
  const one = await subscribe("api");
  const frame = await eventually(() => api.frames.find(({ msg_id }) => msg_id === one.id), DEADLINE);
  assert.deepEqual([frame["action"], one.state], ["notify_when_idle", "pending"]);
  const finished = { state: "idle", finished_at: 1_789_216_922_033, detail: "all green\u001b[2J" };
  await api.order({ op: "write", to: "bot", frame: notice(one.id, finished) });
  const { data } = await events.next("idle");
  assert.deepEqual([data.id, data.state, data.detail, data.finished_at], [one.id, "idle", "all green", "2026-09-12T12:42:02.033Z"]);
  assert.deepEqual(await fetchOne(one.id), data);
  const two = await subscribe("api");
  await api.order({ op: "write", to: "bot", frame: notice(two.id, { state: "exited", finished_at: 1e300 }) });
  await eventually(async () => (await fetchOne(two.id)).state === "gone", DEADLINE);
  const [three, four] = [await subscribe("api"), await subscribe("web")];
  assert.equal((await client.ask(`/idle-subscriptions/${four.id}`, { method: "DELETE" })).status, 204);
  assert.deepEqual(await client.refused(`/idle-subscriptions/${four.id}`), [404, "no_such_subscription"]);
  assert.deepEqual(await client.refused(`/idle-subscriptions/${four.id}`, { method: "DELETE" }), [404, "no_such_subscription"]);
  await web.order({ op: "write", to: "bot", frame: notice(four.id, { state: "idle" }) });
  await api.end("SIGKILL");
  await events.next("idle", ({ id, state }) => id === three.id && state === "gone");
  assert.ok(events.events.every(({ data: { id } }) => id !== four.id));
  events.close();
  assert.deepEqual(
    await client.refused("/idle-subscriptions", { method: "POST", body: { to: "api" } }).then(([status]) => status >= 404),
    true,
  );
});

test("a client that stops reading is not buffered for: when it reads again it is told what it has missed", async (context) => {
  const socketPath = path.join(temporaryDirectory(context), "d", "s");
  const ring = new EventRing({ maxEvents: 4, maxCharacters: 8 * 1024 * 1024 });
  const closing = new AbortController();
  const streams = new Set();
  const door = await openSocketDoor(socketPath, {
    fetch: () => new Response(eventStream({ ring, lastEventId: undefined, clock: systemClock, closing: closing.signal, streams })),
    limit: new RateLimit({ burst: 9, perSecond: 9, clock: systemClock }),
    onProblem: () => undefined,
  });
  context.after(() => door.close());
  const socket = net.connect(socketPath);
  socket.write("GET /events HTTP/1.1\r\nHost: ccm\r\n\r\n");
  await once(socket, "readable");
  const long = "x".repeat(1024 * 1024);
  for (let number = 0; number < 40; number += 1) {
    ring.push("x", { number, long });
    await new Promise(setImmediate);
  }
  let read = "";
  socket.setEncoding("utf8").on("data", (part: string) => (read += part));
  await eventually(() => read.includes('{"number":39,'), DEADLINE);
  assert.match(read, /event: gap\ndata: \{"reason":"\d+ events are no longer kept/);
  socket.destroy();
  await eventually(() => streams.size === 0, DEADLINE);
});

test("more streams than are served are refused with 503, and one that ends makes room", async (context) => {
  const { client } = await startApi(context, new TestMachine(context, "laptop"));
  const open = await Promise.all(Array.from({ length: 64 }, () => client.events()));
  const { status, headers } = await client.ask("/events");
  assert.deepEqual([status, headers["retry-after"]], [503, "5"]);
  open.pop()?.close();
  await eventually(async () => {
    const one = await client.ask("/events", { method: "HEAD" });
    assert.equal(one.status, 200);
    const again = await client.events().catch(() => undefined);
    again?.close();
    return again;
  }, DEADLINE);
  for (const reader of open) reader.close();
});
