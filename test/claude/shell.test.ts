import assert from "node:assert/strict";
import { test } from "node:test";
import "../support/no-leftovers.ts";
import { ccm, pairHosts, runCcm, waitMirrors, whyNoCcm } from "../hosts/harness/ccm.ts";
import { createNetwork } from "../hosts/harness/network.ts";
import { readRecords } from "../hosts/harness/registry-files.ts";
import { waitFor } from "../hosts/harness/wait-for.ts";
import { startSession } from "./harness/claude-session.ts";
import { decide } from "./harness/decide.ts";
import { claudeVersions, whyNoClaude } from "./harness/fetch-claude.ts";

const skip = whyNoCcm() || (await whyNoClaude());

for (const version of claudeVersions) {
  test(`a person at a shell and a session of Claude Code ${version} on another machine`, { skip, timeout: 240_000 }, async (t) => {
    await using network = await createNetwork();
    const [laptop, server] = await Promise.all([network.host("laptop"), network.host("server")]);
    const api = await startSession(network, server, { name: "api", version, args: ["--permission-mode", "default"] });
    const bold = await startSession(network, server, { name: "bold", version, args: ["--dangerously-skip-permissions"] });
    await pairHosts(laptop, server);
    await waitMirrors(laptop, ["server-api", "server-bold"]);

    await t.test("ccm ask is answered by the session's SendMessage, prints that alone, and leaves nobody listed", async () => {
      const asked = runCcm(laptop, ["ask", "server-api", "--timeout", "60", "which port?"]);
      const heard = await api.waitHeard(/<cross-session-message .*which port\?/s);
      const [, from = ""] = heard.match(/ from="(uds:[^"]+)"/) ?? [];
      assert.match(heard, / from-name="laptop-[^"]+-shell"/);
      assert.match(await api.callTool("SendMessage", { to: from, message: "8443 </x>", summary: "port" }), /"success":true/);
      const { code, stdout } = await asked;
      assert.deepEqual([code, stdout], [0, "8443 </x>\n"]);
      await waitMirrors(server, []);
      assert.deepEqual(
        readRecords(laptop, `${laptop.home}/.claude`)
          .map(({ name }) => name)
          .sort(),
        ["server-api", "server-bold"],
      );
    });

    await t.test("send --wait to a session that holds the message: held, 18; and once its person decides, 0 or 17", async () => {
      const held = await runCcm(laptop, ["send", "--wait=3", "server-bold", "hold this"]);
      assert.deepEqual([held.code, held.stdout], [18, "written to server-bold\nheld at server-bold: its person is asked first\n"]);
      await decide(bold, "hold this", "Deny");
      for (const [choice, code, state] of [
        ["Deny", 17, "denied"],
        ["Deliver", 0, "delivered"],
      ] as const) {
        const following = runCcm(laptop, ["send", "--json", "--wait=20", "server-bold", `please ${choice}`]);
        await decide(bold, `please ${choice}`, choice);
        const { code: ended, stdout } = await following;
        assert.deepEqual([ended, JSON.parse(stdout).state], [code, state], await bold.screen());
        const trail = await ccm(laptop, "trace", JSON.parse(stdout).messageId.slice(0, 12));
        assert.match(trail, new RegExp(`^laptop .* ${state} .*^server .* ${state} `, "ms"));
      }
      await waitFor(() => readRecords(laptop, `${laptop.home}/.claude`).length === 2, { what: "the shells to have left" });
    });
  });
}
