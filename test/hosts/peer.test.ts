import assert from "node:assert/strict";
import { test } from "node:test";
import "../support/no-leftovers.ts";
import { ccm, ccmExecutable, pairHosts, waitMirrors, whyNoCcm } from "./harness/ccm.ts";
import { createNetwork } from "./harness/network.ts";
import { PeerOnHost } from "./harness/peer-on-host.ts";
import { registryRemains } from "./harness/registry-files.ts";
import { waitFor } from "./harness/wait-for.ts";

test("two peers on two machines", { skip: whyNoCcm(), timeout: 120_000 }, async (t) => {
  await using network = await createNetwork();
  const [laptop, server] = await Promise.all([network.host("laptop"), network.host("server")]);
  await pairHosts(laptop, server);
  server.installCcm(ccmExecutable);
  const bot = await PeerOnHost.start(laptop, ["--name", "bot"]);
  const api = await PeerOnHost.start(server, ["--name", "api", "--inbound", "hold"]);
  await Promise.all([waitMirrors(laptop, ["server-api"]), waitMirrors(server, ["laptop-bot"])]);

  await t.test("a message is on its way at first, then written there, held, released; and answered", async () => {
    const sent = await bot.command({ op: "send", to: "server-api", text: "which port?" });
    assert.deepEqual([sent.state, sent.name, sent.machine], ["sent", "server-api", "server"]);
    const held = await api.event("held");
    assert.deepEqual([held.name, held.machine, held.text], ["laptop-bot", "laptop", "which port?"]);
    await api.command({ op: "release", message: held.id });
    await bot.event("receipt", ({ state }) => state === "delivered");
    const states = bot.all("receipt").map(({ messageId, state }) => [messageId === sent.messageId, state]);
    assert.deepEqual(
      states.filter(([, state]) => state !== "queued" && state !== "sent"),
      [
        [true, "written"],
        [true, "held"],
        [true, "delivered"],
      ],
    );
    await api.command({ op: "reply", message: held.id, text: "8443" });
    const answer = await bot.event("message");
    assert.deepEqual([answer.name, answer.machine, answer.text, answer.hops], ["server-api", "server", "8443", 1]);
  });

  await t.test("a file goes along", async () => {
    laptop.putFile("plan.txt", "the plan");
    await bot.command({ op: "send", to: "server-api", text: "read this", attach: [`${laptop.home}/plan.txt`] });
    const held = await api.event("held", ({ text }) => /read this/.test(text));
    await api.command({ op: "release", message: held.id });
    const message = await api.event("message", ({ id }) => id === held.id);
    const [file] = message.attachments ?? [];
    assert.deepEqual([message.text, message.notes, file?.name], ["read this", undefined, "plan.txt"]);
    assert.equal(server.readFile(file?.path ?? ""), "the plan");
  });

  await t.test("a subscription crosses, and its answer", async () => {
    await api.command({ op: "status", status: "busy" });
    const { subscription } = await bot.command({ op: "subscribe", to: "server-api" });
    await bot.command({ op: "send", to: "server-api", text: "behind the subscription" });
    await api.event("held", ({ text }) => text === "behind the subscription");
    await api.command({ op: "status", status: "idle", detail: "merged" });
    const idle = await bot.event("idle");
    assert.deepEqual([idle.subscription, idle.name, idle.detail], [subscription, "server-api", "merged"]);
  });

  await t.test("an alias is a member there too; kill -9 takes both away, and whoever had to do with it hears so", async () => {
    await bot.command({ op: "alias", name: "ops", start: true });
    await waitMirrors(server, ["laptop-bot", "laptop-ops"]);
    await bot.kill9();
    await waitMirrors(server, [], 5_000);
    await api.event("gone", ({ name }) => name === "laptop-bot");
    assert.equal((await api.command({ op: "send", to: "laptop-bot", text: "x" })).error?.code, "no_such_member");
    assert.deepEqual(registryRemains(laptop), []);
    assert.equal(await api.end(), 0);
    await waitFor(() => registryRemains(server).length === 0, { what: "nothing to remain" });
    assert.equal(api.stderrText, "");
  });
  await ccm(laptop, "down");
});
