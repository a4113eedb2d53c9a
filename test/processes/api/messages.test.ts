import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import * as z from "zod";
import { healthSchema, sessionSchema } from "../../../src/api/schema.ts";
import { eventually } from "../../support/eventually.ts";
import { TestMachine } from "../../support/test-machine.ts";
import { startApi } from "../../unit/api/api-client.ts";
import { become, fetchSent, messagesSchema, receipt, send, statesOf } from "../../unit/api/message-steps.ts";

const DEADLINE = { deadlineMs: 10_000 };
const sessionsSchema = z.object({ sessions: z.array(sessionSchema) });

async function pairOf(context: TestContext) {
  const [laptop, server] = await Promise.all([new TestMachine(context, "laptop").start(), new TestMachine(context, "server").start()]);
  const api = await server.session("api");
  await laptop.pair(server);
  await laptop.mirror("server-api");
  return { laptop, server, api, ...(await startApi(context, laptop)) };
}

test("T6 T7 a message to a session of another machine: queued, sent, written there, held, delivered; its answer comes back", async (context) => {
  const { client, server, api } = await pairOf(context);
  const id = await send(client, "server-api", "one");
  const { envelope } = await api.message("one");
  assert.equal(envelope.fromName, "laptop-bot");
  await become(client, id, "written");
  await receipt(api, "one", "held");
  await become(client, id, "held");
  await receipt(api, "one", "delivered");
  const message = await become(client, id, "delivered");
  assert.deepEqual(statesOf(message), ["queued", "sent", "written", "held", "delivered"]);
  assert.deepEqual(message.to, { name: "server-api", machine: "server" });
  await api.send(envelope.from, "8443");
  await eventually(async () => (await client.get("/messages?direction=in", messagesSchema)).messages[0]?.text === "8443", DEADLINE);
  assert.ok(server.names().includes("laptop-bot"));
});

test("L1 while the link is down a message is queued, and goes out when it is back; 20 at once keep their order", async (context) => {
  const { client, laptop, api } = await pairOf(context);
  laptop.cut();
  await eventually(async () => (await laptop.mirror("server-api")).detail?.startsWith("offline since"), DEADLINE);
  const { sessions } = await client.get("/sessions?machine=server", sessionsSchema);
  assert.ok(sessions[0]?.offline_since);
  const ids = [];
  for (let number = 0; number < 20; number += 1) ids.push(await send(client, "server-api", `number ${number}`));
  assert.deepEqual(statesOf(await fetchSent(client, ids[0] ?? "")), ["queued"]);
  laptop.mend();
  for (const id of ids) await become(client, id, "written");
  assert.deepEqual(
    api.messages.map(({ envelope }) => envelope.body),
    ids.map((_, number) => `number ${number}`),
  );
});

test("a daemon that ends while a message waits: it is said that nobody knows; without one, other machines are not there", async (context) => {
  const { client, laptop } = await pairOf(context);
  laptop.cut();
  await eventually(async () => (await laptop.mirror("server-api")).detail?.startsWith("offline since"), DEADLINE);
  const id = await send(client, "server-api", "into the void");
  assert.equal((await client.get("/health", healthSchema)).daemon, true);
  await laptop.stop();
  const message = await eventually(
    async () => {
      const found = await fetchSent(client, id);
      return found.state !== "queued" && found;
    },
    { ...DEADLINE, everyMs: 100 },
  );
  assert.match(message.state, /^(unconfirmed|undeliverable|dropped)$/);
  assert.equal((await client.get("/health", healthSchema)).daemon, false);
  const [status] = await client.refused("/messages", { method: "POST", body: { to: "server-api", text: "hi" } });
  assert.ok(status === 404 || status === 409);
});

test("the sessions of all machines, filtered by machine and name; each by name, id or address, and why one cannot be reached", async (context) => {
  const { client, laptop } = await pairOf(context);
  await laptop.session("web\u001b-ui");
  const names = async (query = "") => (await client.get(`/sessions${query}`, sessionsSchema)).sessions.map(({ name }) => name);
  assert.deepEqual((await names()).sort(), ["bot", "server-api", "web -ui"]);
  assert.deepEqual(await names("?machine=server"), ["server-api"]);
  assert.deepEqual((await names("?name=*B*")).sort(), ["bot", "web -ui"]);
  assert.deepEqual(await names("?name=.*"), []);
  const remote = await client.get("/sessions/server-api", sessionSchema);
  assert.deepEqual([remote.is_remote, remote.reachable, remote.machine], [true, true, "server"]);
  for (const text of [remote.address, remote.session_id]) {
    assert.deepEqual(await client.get(`/sessions/${encodeURIComponent(text ?? "")}`, sessionSchema), remote);
  }
  const itself = await client.get("/sessions/bot", sessionSchema);
  assert.equal(itself.is_self, true);
});
