import assert from "node:assert/strict";
import { test } from "node:test";
import "../support/no-leftovers.ts";
import { pairHosts, runCcm, waitMirrors, whyNoCcm } from "../hosts/harness/ccm.ts";
import { createNetwork } from "../hosts/harness/network.ts";
import { type ClaudeSession, startSession } from "./harness/claude-session.ts";
import { decide } from "./harness/decide.ts";
import { claudeVersions, whyNoClaude } from "./harness/fetch-claude.ts";

const [older, newer] = claudeVersions;
const skip = whyNoCcm() || (await whyNoClaude());
const PROMPTING = ["--permission-mode", "default"];
const BYPASS = ["--dangerously-skip-permissions"];

for (const [onLaptop, onServer] of [
  [older, newer],
  [newer, older],
] as const) {
  test(`Claude Code ${onLaptop} on a laptop and ${onServer} on a server`, { skip, timeout: 240_000 }, async (t) => {
    await using network = await createNetwork();
    const [laptop, server] = await Promise.all([network.host("laptop"), network.host("server")]);
    const webUi = await startSession(network, laptop, { name: "web-ui", version: onLaptop, args: PROMPTING });
    const bold = await startSession(network, laptop, { name: "bold", version: onLaptop, args: BYPASS });
    const api = await startSession(network, server, { name: "api", version: onServer, args: PROMPTING });

    await t.test("after pair each lists the other within 2 s", async () => {
      await pairHosts(laptop, server);
      await waitMirrors(laptop, ["server-api"]);
      await waitMirrors(server, ["laptop-bold", "laptop-web-ui"]);
      assert.match(await webUi.callTool("ListAgents", {}), /\bserver-api \[[0-9a-f]{6}\] +· +interactive/);
      assert.match(await api.callTool("ListAgents", {}), /\blaptop-web-ui \[[0-9a-f]{6}\] +· +interactive/);
    });

    await t.test("a message reaches the other model with the sender's name and mode, and so does the answer to its from", async () => {
      await send(webUi, "server-api", "from the laptop");
      const heard = await api.waitHeard(/<cross-session-message .*from the laptop/s);
      const [, from = ""] = heard.match(/ from="(uds:[^"]+)"/) ?? [];
      assert.match(heard, / from-name="laptop-web-ui" from-mode="prompting"/);
      await send(api, from, "from the server");
      assert.match(await webUi.waitHeard(/<cross-session-message .*from the server/s), / from-name="server-api" from-mode="prompting"/);
    });

    for (const [choice, told] of [
      ["Deny", /\[Cross-session delivery notice\].*denied/s],
      ["Deliver", /\[Cross-session delivery notice\].*approved and released/s],
    ] as const) {
      await t.test(`a message that is held: the sender's model is told, and after ${choice} again`, async () => {
        const since = bold.heard().length;
        await send(bold, "server-api", `please hold, then ${choice}`);
        await bold.waitHeard(/\[Cross-session delivery notice\].*held/s, { since });
        const decided = bold.heard().length;
        await decide(api, `please hold, then ${choice}`, choice);
        await bold.waitHeard(told, { since: decided });
        if (choice === "Deliver") await api.waitHeard(/please hold, then Deliver/);
        else assert.ok(api.heard().every((text) => !text.includes("please hold, then Deny")));
      });
    }

    await t.test("an idle notice of a remote session arrives", async () => {
      const message = { to: "server-api", message: "tell me when you are done", summary: "asks", notify_when_idle: true };
      assert.match(await webUi.callTool("SendMessage", message), /"success":true/);
      await webUi.waitScreen(/server-api is idle — finished a turn at /, 20_000);
    });

    await t.test("a message to a session that has just ended: its sender's model is told, and ccm send fails", async () => {
      const since = webUi.heard().length;
      await api.kill9();
      const sent = await webUi.callTool("SendMessage", { to: "server-api", message: "still there?", summary: "asks" });
      // Written in the moment before its mirror left, or refused at once because it has left.
      if (/"success":true/.test(sent)) await webUi.waitHeard(/\[Cross-session delivery notice\].*NOT delivered/s, { since });
      assert.notEqual((await runCcm(laptop, ["send", "server-api", "and you?"])).code, 0);
      await waitMirrors(laptop, []);
    });
  });
}

async function send(from: ClaudeSession, to: string, message: string): Promise<void> {
  assert.match(await from.callTool("SendMessage", { to, message, summary: message.slice(0, 20) }), /"success":true/);
}
