import assert from "node:assert/strict";
import { test } from "node:test";
import "../support/no-leftovers.ts";
import type { PeerEvent } from "../../src/peer/schema/output.ts";
import { ccmExecutable, whyNoCcm } from "../hosts/harness/ccm.ts";
import type { HostProcess } from "../hosts/harness/host-process.ts";
import { createNetwork } from "../hosts/harness/network.ts";
import { waitFor } from "../hosts/harness/wait-for.ts";
import { startSession } from "./harness/claude-session.ts";
import { decide } from "./harness/decide.ts";
import { claudeVersions, whyNoClaude } from "./harness/fetch-claude.ts";

const skip = whyNoCcm() || (await whyNoClaude());

for (const version of claudeVersions) {
  test(`ccm peer and Claude Code ${version}`, { skip, timeout: 180_000 }, async (t) => {
    await using network = await createNetwork();
    const host = await network.host("laptop");
    const api = await startSession(network, host, { name: "api", version, args: ["--permission-mode", "default"] });
    const bold = await startSession(network, host, { name: "bold", version, args: ["--dangerously-skip-permissions"] });
    host.installCcm(ccmExecutable);
    const peer = host.spawn("ccm", ["peer", "--name", "bot", "--mode", "prompting", "--inbound", "parity", "--alias", "ops"]);
    const event = eventsOf(peer);
    const tell = (command: object) => peer.stdin.write(`${JSON.stringify(command)}\n`);
    await event(({ event: kind }) => kind === "ready");

    await t.test("the session lists it, writes to it by its name, and hears its answer", async () => {
      assert.match(await api.callTool("ListAgents", {}), /\bbot \[[0-9a-f]{6}\]/);
      const sent = await api.callTool("SendMessage", { to: "bot", message: "is it green?", summary: "asks", notify_when_idle: true });
      assert.match(sent, /"success":true/);
      const message = await event((one) => one.event === "message" && one.name === "api");
      assert.equal(message["text"], "is it green?");
      tell({ op: "reply", message: message["id"], text: "all green" });
      const heard = await api.waitHeard(/all green/);
      assert.match(heard, /from-name="bot" from-mode="prompting">\nall green\n/);
      await api.waitScreen(/bot is idle/);
    });

    await t.test("T10 what the session writes because of a message carries the chain of hops on", async () => {
      tell({ op: "send", to: "api", text: 'CALL SendMessage {"to":"bot","message":"pong","summary":"answers"} END' });
      const pong = await event((one) => one.event === "message" && one["text"] === "pong");
      assert.equal(pong["hops"], 1);
      tell({ op: "reply", message: pong["id"], text: 'CALL SendMessage {"to":"bot","message":"again","summary":"answers"} END' });
      assert.equal((await event((one) => one.event === "message" && one["text"] === "again"))["hops"], 3);
    });

    await t.test("a session that bypasses prompts holds its message, and its person's decision is told", async () => {
      tell({ op: "send", to: "bold", text: "please hold", id: "held" });
      await event((one) => one.event === "receipt" && one.state === "held");
      await decide(bold, "please hold", "Deny");
      await event((one) => one.event === "receipt" && one.state === "denied");
    });

    await t.test("it holds a message of a session that bypasses prompts; that session hears so, and that it was released", async () => {
      const since = bold.heard().length;
      await bold.callTool("SendMessage", { to: "bot", message: "may I?", summary: "asks" });
      const held = await event((one) => one.event === "held");
      await bold.waitHeard(/\[Cross-session delivery notice\].*held/s, { since });
      tell({ op: "release", message: held["id"] });
      await event((one) => one.event === "message" && one["text"] === "may I?");
      await bold.waitHeard(/approved/, { since });
    });

    await t.test("under another name it is another member; a subscription says idle, and gone when the session is killed", async () => {
      tell({ op: "send", as: "ops", to: "api", text: "from ops" });
      await api.waitHeard(/from-name="ops"/);
      tell({ op: "subscribe", to: "api" });
      await event((one) => one.event === "idle" && one.name === "api");
      await api.kill9();
      await event((one) => one.event === "gone" && one.name === "api");
    });

    peer.stdin.end();
    assert.deepEqual(await peer.exit, { code: 0, signal: undefined });
    assert.equal(peer.stderrText, "");
  });
}

/** Waits for an event that is as asked. */
function eventsOf(peer: HostProcess) {
  return (matches: (event: PeerEvent) => boolean): Promise<PeerEvent> =>
    waitFor(
      () =>
        peer.stdoutText
          .split("\n")
          .slice(0, -1)
          .map((line): PeerEvent => JSON.parse(line))
          .find(matches),
      { what: "an event", otherwise: () => `${peer.stdoutText}${peer.stderrText}` },
    );
}
