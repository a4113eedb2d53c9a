import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import "../support/no-leftovers.ts";
import { ccm, waitMirrors, whyNoCcm } from "../hosts/harness/ccm.ts";
import type { Host } from "../hosts/harness/host.ts";
import { createNetwork } from "../hosts/harness/network.ts";
import { mirrorNames, readRecords } from "../hosts/harness/registry-files.ts";
import { waitFor } from "../hosts/harness/wait-for.ts";
import { claudeEnvironment, startSession } from "./harness/claude-session.ts";
import { claudeVersions, whyNoClaude } from "./harness/fetch-claude.ts";
import { installChat } from "./harness/install-chat.ts";
import { ensureModel } from "./harness/model.ts";

const skip = whyNoCcm() || (await whyNoClaude());
const BYPASS = ["--dangerously-skip-permissions"];
/** A hook that waited for the daemon, or a daemon that kept its descriptors, would hold `claude -p` for a minute. */
const LONGER_MS = 5_000;

async function printOnce(host: Host, env: NodeJS.ProcessEnv = {}): Promise<number> {
  const startedMs = performance.now();
  const { code, stdout, stderr } = await host.exec("claude", ["-p", "hi"], { env: { ...claudeEnvironment("printed"), ...env }, input: "" });
  assert.equal(code, 0, `${stdout}${stderr}`);
  return performance.now() - startedMs;
}

/** The daemons that run, and what their standard descriptors are. */
function daemons(host: Host): string[][] {
  return host
    .processes()
    .filter(({ command }) => /\bccm daemon$/.test(command))
    .map(({ pid }) => [0, 1, 2].map((descriptor) => fs.readlinkSync(`${host.root}/proc/${pid}/fd/${descriptor}`)));
}

for (const version of claudeVersions) {
  test(`Claude Code ${version} starts sessions with the hooks, and renames one`, { skip, timeout: 240_000 }, async (t) => {
    await using network = await createNetwork();
    const [laptop, server] = await Promise.all([network.host("laptop"), network.host("server")]);
    await Promise.all([installChat(network, laptop, version), installChat(network, server, version), ensureModel(network, laptop)]);

    await t.test("H1 claude -p takes no longer with the hook that starts the daemon, whose descriptors are /dev/null", async () => {
      const plain = { CLAUDE_CONFIG_DIR: `${laptop.home}/plain` };
      await printOnce(laptop, plain);
      const withoutMs = await printOnce(laptop, plain);
      await ccm(laptop, "down");
      const withMs = await printOnce(laptop);
      await waitFor(() => daemons(laptop).length === 1, { what: "the daemon", otherwise: () => JSON.stringify(laptop.processes()) });
      t.diagnostic(`claude -p: ${Math.round(withoutMs)} ms without hooks, ${Math.round(withMs)} ms with, the daemon started`);
      assert.deepEqual(daemons(laptop), [["/dev/null", "/dev/null", "/dev/null"]]);
      assert.ok(withMs < withoutMs + LONGER_MS, `${withMs} ms, ${withoutMs} ms without`);
    });

    await t.test("H1 five that start at once give one daemon and no error", async () => {
      await ccm(laptop, "down");
      await Promise.all(Array.from({ length: 5 }, () => printOnce(laptop)));
      await waitFor(() => daemons(laptop).length === 1, { what: "one daemon" });
      const log = ".local/state/claude-code-message/ccm.log";
      const problems = laptop.exists(log) ? laptop.readFile(log).match(/^.*\b(?:error|warn)\b.*$/gim) : undefined;
      assert.equal(problems ?? undefined, undefined);
    });

    await t.test("R3 a session renamed while running has the new name there within 1 s, at the same address", async () => {
      const webUi = await startSession(network, laptop, { name: "web-ui", version, args: BYPASS });
      await ccm(laptop, "pair", server.name);
      await waitMirrors(server, ["laptop-web-ui"]);
      const mirror = () => readRecords(server).find(({ agent }) => agent === "claude-code-message");
      const address = mirror()?.messagingSocketPath;
      await webUi.terminal.write("/rename front-end");
      await webUi.waitScreen(/\/rename front-end/);
      await webUi.press("Enter");
      const own = await waitFor(() => readRecords(laptop).find(({ name }) => name === "front-end"), {
        what: "the new name here",
        pollMs: 10,
      });
      const renamedMs = Date.now();
      await waitFor(() => mirrorNames(server).includes("laptop-front-end"), { what: "the new name there", pollMs: 10 });
      const tookMs = Date.now() - renamedMs;
      t.diagnostic(`the new name was there after ${tookMs} ms`);
      assert.ok(tookMs < 1_000, `${tookMs} ms`);
      assert.equal(own.pid > 0 && mirror()?.messagingSocketPath, address);
      const { code, stderr } = await server.exec("ccm", ["send", "laptop-web-ui", "by the old name"]);
      assert.notEqual(code, 0);
      assert.match(stderr, /renamed to laptop-front-end/);
    });
  });
}
