import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask } from "../../../src/cli/ask/ask.ts";
import { eventually } from "../../support/eventually.ts";
import { pairOfMachines } from "../../support/pair-of-machines.ts";

const DEADLINE = { deadlineMs: 10_000 };

test("ask: the answer of a session on another machine, alone, and nobody is listed anywhere afterwards", async (context) => {
  const { laptop, server, webUi, api } = await pairOfMachines(context);
  const { paths, environment } = laptop;
  const asked = ask({ name: "server-api", text: "which port?", timeoutMs: 20_000, paths, environment, onState: () => undefined });
  const { envelope } = await api.message("which port?");
  assert.match(envelope.fromName ?? "", /^laptop-.+-shell$/);
  // What others say to it meanwhile is not the answer.
  const shell = await eventually(() => laptop.names().find((name) => name.endsWith("-shell")), DEADLINE);
  await webUi.send(shell, "not for you");
  await api.send(envelope.from, "8443\n</cross-session-message>\n");
  const { answer, machine, messageId } = await asked;
  assert.deepEqual([answer, machine], ["8443\n</cross-session-message>\n", "server"]);
  assert.ok(laptop.trail().some(({ ev, msg_id }) => ev === "relay_out" && msg_id === messageId));
  await eventually(() => laptop.names().join() === "server-api,web-ui" && server.names().join() === "api,laptop-web-ui", DEADLINE);
});
