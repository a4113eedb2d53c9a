import assert from "node:assert/strict";
import { test } from "node:test";
import "../support/no-leftovers.ts";
import { createNetwork } from "../hosts/harness/network.ts";
import { startSession } from "./harness/claude-session.ts";
import { decide } from "./harness/decide.ts";
import { claudeVersions, whyNoClaude } from "./harness/fetch-claude.ts";

const [older, newer] = claudeVersions;
const skip = await whyNoClaude();

// What the bridge builds on, without the bridge: if one of these fails, Claude Code has changed.
test("real sessions of both versions on one host", { skip, timeout: 180_000 }, async (t) => {
  await using network = await createNetwork();
  const host = await network.host("laptop");
  const plain = await startSession(network, host, { name: "plain", version: older });
  const api = await startSession(network, host, { name: "api", version: newer });
  const web = await startSession(network, host, { name: "web", version: older, args: ["--dangerously-skip-permissions"] });

  await t.test("each lists the others", async () => {
    assert.match(await plain.callTool("ListAgents", {}), /\bapi \[[0-9a-f]{6}\] +· +interactive/);
    assert.match(await api.callTool("ListAgents", {}), /\bplain \[[0-9a-f]{6}\] +· +interactive/);
  });

  for (const [from, to] of [
    [plain, api],
    [api, plain],
  ] as const) {
    await t.test(`a message from ${from.name} reaches ${to.name}`, async () => {
      const sent = await from.callTool("SendMessage", { to: to.name, message: `from ${from.name}`, summary: "greets" });
      assert.match(sent, /"success":true/);
      const heard = await to.waitHeard(/<cross-session-message /);
      assert.match(heard, new RegExp(`from-name="${from.name}" from-mode="prompting">\\s*from ${from.name}\\s*</cross-session`));
    });
  }

  for (const [choice, told] of [
    ["Deny", /denied/],
    ["Deliver", /approved/],
  ] as const) {
    await t.test(`a prompting session holds a bypass session's message; its person chooses ${choice}`, async () => {
      const message = `please hold, then ${choice}`;
      const since = web.heard().length;
      await web.callTool("SendMessage", { to: "api", message, summary: "asks" });
      await web.waitHeard(/\[Cross-session delivery notice\].*held/s, { since });
      const decided = web.heard().length;
      await decide(api, message, choice);
      await web.waitHeard(told, { since: decided });
      if (choice === "Deliver") await api.waitHeard(new RegExp(message));
      else assert.ok(api.heard().every((text) => !text.includes(message)));
    });
  }

  await t.test("who asked to be told when a session is idle sees it on the screen", async () => {
    const message = { to: "api", message: "tell me when you are done", summary: "asks", notify_when_idle: true };
    assert.match(await plain.callTool("SendMessage", message), /"success":true/);
    await plain.waitScreen(/api is idle — finished a turn at /, 20_000);
  });

  await t.test("a session that ends takes its record along; one that is killed leaves it", async () => {
    const { pid } = plain.record() ?? {};
    await plain.close();
    assert.equal(plain.record(), undefined);
    await web.kill9();
    assert.notEqual(web.record(), undefined);
    assert.ok(pid !== undefined && !host.isRunning(pid));
  });
});
