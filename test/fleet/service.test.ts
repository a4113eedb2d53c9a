import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { ccm, runCcm, whyNoCcm } from "../hosts/harness/ccm.ts";
import type { Host } from "../hosts/harness/host.ts";
import { createNetwork, type Network } from "../hosts/harness/network.ts";
import { noRelease } from "../support/release-directory.ts";
import { noAnsible, play, writeInventory } from "./harness/ansible.ts";
import { makeSite, NEXT_VERSION, version } from "./harness/releases.ts";

const skip = whyNoCcm() || noRelease || noAnsible;

/** In the place of the host's own, for ccm to find wherever it is started from. */
async function giveSystemctl(network: Network, host: Host): Promise<void> {
  const stand = network.share(path.join(import.meta.dirname, "fixtures", "systemctl"), "systemctl");
  const { code, stderr } = await host.exec("/bin/sh", ["-c", `mount --bind ${stand} "$(command -v systemctl)"`], { user: "root" });
  assert.equal(code, 0, stderr);
}

const told = (host: Host) => host.readFile(".systemctl/told").trimEnd().split("\n");

async function daemonOf(host: Host): Promise<{ readonly version: string; readonly isService: boolean }> {
  const { daemon } = JSON.parse(await ccm(host, "status", "--json"));
  const own = host.processes().find(({ command }) => / daemon$/.test(command));
  const { running } = JSON.parse(await ccm(host, "service", "status", "--json"));
  return { version: daemon.version, isService: running && own !== undefined };
}

test("the role makes the daemon a service and lets sessions join by hooks; once, and an upgrade restarts the service", {
  skip,
  timeout: 400_000,
}, async (t) => {
  await using network = await createNetwork();
  const site = makeSite(network);
  const [control, machine] = [await network.host("control"), await network.host("m1")];
  await giveSystemctl(network, machine);
  const inventory = writeInventory(network, { machines: ["m1"], hubs: [] });
  const roll = (wanted: string) => {
    const ccm_release_directory = path.join(site, "download", `v${wanted}`);
    return play(control, inventory, { ccm_version: wanted, ccm_release_directory, ccm_service: true, ccm_hooks: "settings" });
  };

  await roll(version);
  assert.deepEqual(
    told(machine)
      .filter((line) => !line.includes("is-active"))
      .slice(0, 3),
    ["--user daemon-reload", "--user enable ccm.service", "--user restart ccm.service"],
  );
  assert.ok(machine.readFile(".config/systemd/user/ccm.service").includes(`ExecStart="${machine.home}/.local/bin/ccm" daemon`));
  assert.deepEqual(await daemonOf(machine), { version, isService: true });
  const { hooks } = JSON.parse(machine.readFile(".claude/settings.json"));
  assert.ok("SessionStart" in hooks && "UserPromptSubmit" in hooks, JSON.stringify(hooks));

  const second = await roll(version);
  assert.deepEqual([...second.changed], [["m1", 0]]);

  const third = await roll(NEXT_VERSION);
  t.diagnostic(`one machine with its service: again ${second.seconds.toFixed(0)} s, upgraded ${third.seconds.toFixed(0)} s`);
  assert.deepEqual(await daemonOf(machine), { version: NEXT_VERSION, isService: true });
  assert.ok((third.changed.get("m1") ?? 0) > 0);

  await ccm(machine, "service", "uninstall");
  await ccm(machine, "uninstall");
  assert.ok(!machine.exists(".config/systemd/user/ccm.service"));
  assert.ok(!machine.exists(".claude/settings.json"));
  assert.equal((await runCcm(machine, ["status"])).code, 20);
});
