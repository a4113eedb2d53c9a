import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../support/eventually.ts";
import { pairOfMachines } from "../../support/pair-of-machines.ts";
import type { TestMachine } from "../../support/test-machine.ts";

const DEADLINE = { deadlineMs: 10_000 };

test("sessions of two machines list each other, write and answer, each from the mirror of the sender", async (context) => {
  const { laptop, server, webUi, api } = await pairOfMachines(context);
  await webUi.send("server-api", "hello");
  const { frame, envelope } = await api.message("hello");
  const mirror = await server.mirror("laptop-web-ui");
  assert.equal(envelope.from, `uds:${mirror.messagingSocketPath}`);
  assert.equal(frame.from, envelope.from);
  assert.deepEqual([envelope.fromName, envelope.fromMode], ["laptop-web-ui", "prompting"]);
  await api.send(envelope.from, "hello yourself");
  assert.equal((await webUi.message("hello yourself")).envelope.fromName, "server-api");
  const relayed = (machine: TestMachine) => machine.trail().filter(({ ev }) => String(ev).startsWith("relay"));
  await eventually(() => relayed(laptop).length === 2 && relayed(server).length === 2, DEADLINE);
  assert.deepEqual(
    relayed(laptop).map(({ ev, msg_id }) => [ev, msg_id]),
    [
      ["relay_out", relayed(server)[0]?.["msg_id"]],
      ["relay_in", relayed(server)[1]?.["msg_id"]],
    ],
  );
});

test("L1 a link that breaks and comes back: what was written meanwhile arrives once, in order, at the same address", async (context) => {
  const { laptop, webUi, api } = await pairOfMachines(context);
  const before = await laptop.mirror("server-api");
  laptop.cut();
  await eventually(async () => (await laptop.mirror("server-api")).detail?.startsWith("offline since"), DEADLINE);
  for (const text of ["one", "two", "three"]) await webUi.send("server-api", text);
  laptop.mend();
  await api.message("three");
  assert.deepEqual(
    api.messages.map(({ envelope }) => envelope.body),
    ["one", "two", "three"],
  );
  assert.equal((await laptop.mirror("server-api")).pid, before.pid);
});
