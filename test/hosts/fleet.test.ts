import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MachineHealth } from "../../src/cli/doctor/examine-fleet.ts";
import { ccm, ccmExecutable, runCcm, whyNoCcm } from "./harness/ccm.ts";
import { createNetwork } from "./harness/network.ts";

test("a hub pairs with the machines of a list and of an inventory, and sees how each is", {
  skip: whyNoCcm(),
  timeout: 300_000,
}, async (context) => {
  await using network = await createNetwork();
  const [hub, web] = [await network.host("hub"), await network.host("web"), await network.host("db")];
  hub.installCcm(ccmExecutable);
  await ccm(hub, "init", "--label", "hub");
  const startedMs = performance.now();
  const listed = await runCcm(hub, ["pair", "--hosts", "-"], "# ours\nweb\n");
  assert.equal(listed.code, 0, listed.stderr);
  const inventory = {
    _meta: { hostvars: { "db.example.org": { ansible_host: "db", ccm_label: "store" } } },
    dbs: { hosts: ["db.example.org"] },
  };
  const fromInventory = await runCcm(hub, ["pair", "--inventory", "-", "--group", "dbs"], JSON.stringify(inventory));
  assert.equal(fromInventory.code, 0, fromInventory.stderr);
  context.diagnostic(`two machines paired: ${Math.round(performance.now() - startedMs)} ms`);

  web.putFile(".config/claude-code-message/config.json", '{"label":"-"}');
  const askedMs = performance.now();
  const asked = await runCcm(hub, ["doctor", "--all", "--json"]);
  context.diagnostic(`doctor --all over three machines: ${Math.round(performance.now() - askedMs)} ms`);
  const { machines } = JSON.parse(asked.stdout) as { machines: MachineHealth[] };
  assert.deepEqual(
    machines.map(({ machine, link, result }) => [machine, link, result]),
    [
      ["hub", "here", "warn"],
      ["web", "linked", "fail"],
      ["store", "linked", "warn"],
    ],
  );
  assert.match(machines[1]?.findings.find(({ level }) => level === "fail")?.detail ?? "", /config\.json: label: must be/);
  assert.equal(asked.code, 25);
});
