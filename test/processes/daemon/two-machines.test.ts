import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { putRosterEntry } from "../../../src/members/roster-entry.ts";
import { eventually } from "../../support/eventually.ts";
import { pairOfMachines } from "../../support/pair-of-machines.ts";
import { TestMachine } from "../../support/test-machine.ts";

const DEADLINE = { deadlineMs: 10_000 };

test("L9 40 messages at once from one sender arrive once each, in order", async (context) => {
  const { webUi, api } = await pairOfMachines(context);
  const texts = Array.from({ length: 40 }, (_, index) => `message ${index}`);
  for (const text of texts) await webUi.send("server-api", text);
  await api.message("message 39");
  assert.deepEqual(
    api.messages.map(({ envelope }) => envelope.body),
    texts,
  );
});

test("receipts, idle subscriptions and notices cross both ways with their ids", async (context) => {
  const { webUi, api } = await pairOfMachines(context);
  const [messageId] = await webUi.send("server-api", "please approve");
  const { frame } = await api.message("please approve");
  await api.order({ op: "answer", frame, status: "held" });
  await api.order({ op: "answer", frame, status: "delivered" });
  const statuses = () => webUi.receipts(messageId).map(({ status }) => status);
  await eventually(() => statuses().length === 2, DEADLINE);
  assert.deepEqual(statuses(), ["held", "delivered"]);
  await webUi.order({
    op: "write",
    to: "server-api",
    frame: { type: "control", action: "notify_when_idle", msg_id: "sub-1", msgV: 1, later_field: { kept: true } },
  });
  const subscription = await eventually(() => api.frames.find((candidate) => candidate["action"] === "notify_when_idle"), DEADLINE);
  assert.deepEqual([subscription.msg_id, subscription["later_field"]], ["sub-1", { kept: true }]);
});

test("T2 a session that is killed is gone from the other machine within 2 s; what is sent to it is told as unsent", async (context) => {
  const { laptop, webUi, api } = await pairOfMachines(context);
  const [before] = await webUi.send("server-api", "you there?");
  await api.message("you there?");
  const mirror = await laptop.mirror("server-api");
  await api.end("SIGKILL");
  const killedAt = performance.now();
  const [messageId] = await webUi.send("server-api", "and now?").catch(() => [undefined]);
  if (messageId !== undefined) {
    const [receipt] = await eventually(() => webUi.receipts(messageId).length > 0 && webUi.receipts(messageId), DEADLINE);
    assert.deepEqual([receipt?.status, receipt?.drop_reason, receipt?.from], ["dropped", undefined, `uds:${mirror.messagingSocketPath}`]);
  }
  await eventually(() => !laptop.names().includes("server-api"), { deadlineMs: 4_000 });
  assert.ok(performance.now() - killedAt < 4_000);
  assert.equal(webUi.receipts(before).length, 0);
});

test("R3 R4 a session that is renamed keeps its address on the other machine, and is written to under the new name", async (context) => {
  const { laptop, webUi, api } = await pairOfMachines(context);
  const before = await laptop.mirror("server-api");
  await api.order({ op: "rename", name: "backend" });
  const after = await laptop.mirror("server-backend");
  assert.deepEqual([after.pid, after.messagingSocketPath], [before.pid, before.messagingSocketPath]);
  await webUi.send("server-backend", "new name");
  await api.message("new name");
});

test("L1 a machine that stays away longer than the grace: its members leave, and every sender is told", async (context) => {
  const { laptop, server, webUi } = await pairOfMachines(context, { grace_seconds: 1 });
  laptop.cut();
  const [messageId] = await webUi.send("server-api", "too late");
  await eventually(() => webUi.receipts(messageId).some(({ status }) => status === "dropped"), DEADLINE);
  await eventually(() => laptop.names().join() === "web-ui" && server.names().join() === "api", DEADLINE);
});

test("a daemon that is replaced: what it had not confirmed is told in words, and the new one links", async (context) => {
  const { laptop, server, webUi, api } = await pairOfMachines(context);
  await server.stop(false);
  await webUi.send("server-api", "while it was away");
  await server.start();
  await api.message("while it was away");
  await eventually(async () => (await laptop.status()).peers[0]?.state === "linked", DEADLINE);
});

test("L3 both machines dial: one link, one mirror each, and the other dialler rests", async (context) => {
  const { laptop, server } = await pairOfMachines(context);
  await server.pair(laptop);
  await eventually(async () => {
    const all = [...(await laptop.status()).peers, ...(await server.status()).peers];
    return all.length === 2 && all.every(({ state }) => state === "linked");
  }, DEADLINE);
  assert.deepEqual(
    [laptop.names(), server.names()],
    [
      ["server-api", "web-ui"],
      ["api", "laptop-web-ui"],
    ],
  );
});

test("L5 two entries that lead to one machine: one link, and the second says which machine it is", async (context) => {
  const { laptop, server } = await pairOfMachines(context);
  await assert.rejects(laptop.pair(server, "again", "other-name"), {
    code: "link_refused",
    message: /is the machine that is paired as server already/,
  });
  assert.deepEqual(laptop.names(), ["server-api", "web-ui"]);
});

test("L4 L7 pairing and unpairing one machine leaves the others, their labels and their addresses alone", async (context) => {
  const { laptop, server } = await pairOfMachines(context);
  const gpu = await new TestMachine(context, "gpu").start();
  await gpu.session("train");
  const before = await laptop.mirror("server-api");
  await laptop.pair(gpu, "box");
  await laptop.mirror("box-train");
  await gpu.pair(server, "hub");
  assert.ok((await server.mirror("gpu-train")) && (await server.mirror("laptop-web-ui")));
  await laptop.unpair("box");
  await eventually(() => laptop.names().join() === "server-api,web-ui", DEADLINE);
  assert.equal((await laptop.mirror("server-api")).pid, before.pid);
  await gpu.mirror("hub-api");
});

test("R7 a mirror that is killed leaves nothing and is replaced within a second", async (context) => {
  const { laptop, webUi, api } = await pairOfMachines(context);
  const before = await laptop.mirror("server-api");
  process.kill(before.pid, "SIGKILL");
  const after = await eventually(
    () => laptop.listed().find(({ record }) => record?.name === "server-api" && record.pid !== before.pid),
    DEADLINE,
  );
  assert.ok(after);
  await webUi.send("server-api", "still there?");
  await api.message("still there?");
  assert.equal(laptop.listed().length, 2);
});

test("unpaired: no mirror, record, key or socket is left on either side", async (context) => {
  const { laptop, server } = await pairOfMachines(context);
  await laptop.unpair("server");
  await eventually(() => laptop.names().join() === "web-ui" && server.names().join() === "api", DEADLINE);
  assert.deepEqual((await server.status()).peers, []);
});

test("a task that a hook writes is in the other machine's mirror within 300 ms; the counters of all time are in the status", async (context) => {
  const { laptop, server, webUi } = await pairOfMachines(context);
  const { record } = laptop.listed().find(({ record }) => record?.name === "web-ui") ?? {};
  const { pid = 0, procStart = "", pidDomain = "", sessionId = "" } = record ?? {};
  const task = () => server.listed().find(({ record }) => record?.name === "laptop-web-ui")?.record?.raw["ccmTask"];
  const tookMs: number[] = [];
  for (const said of ["one", "two", "three"]) {
    const startedMs = performance.now();
    putRosterEntry(laptop.paths.rosterDirectory, { pid, procStart, pidDomain, sessionId, task: said });
    await eventually(() => task() === said, { ...DEADLINE, everyMs: 5 });
    tookMs.push(performance.now() - startedMs);
  }
  context.diagnostic(`${tookMs.map(Math.round).join(", ")} ms`);
  assert.ok(Math.min(...tookMs) < 300, `${tookMs} ms`);
  await webUi.send("server-api", "counted");
  const totals = async () => (await laptop.status()).peers[0]?.totals;
  await eventually(async () => (await totals())?.sent === 1, DEADLINE);
  await laptop.stop();
  await laptop.start();
  assert.deepEqual(await totals(), { sent: 1, received: 0, failed: 0 });
});
