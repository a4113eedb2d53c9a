import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { DaemonStatus } from "../../src/daemon/control-protocol.ts";
import { ccm, runCcm, whyNoCcm } from "../hosts/harness/ccm.ts";
import type { Host } from "../hosts/harness/host.ts";
import { createNetwork, type Network } from "../hosts/harness/network.ts";
import { mirrorNames } from "../hosts/harness/registry-files.ts";
import { StandInSession } from "../hosts/harness/stand-in-session.ts";
import { waitFor } from "../hosts/harness/wait-for.ts";
import { noRelease } from "../support/release-directory.ts";
import { noAnsible, play, writeInventory } from "./harness/ansible.ts";
import { makeSite, NEXT_VERSION, version } from "./harness/releases.ts";

const MACHINES = 10;
/** Between two messages to one machine. */
const TRAFFIC_MS = 250;

const skip = whyNoCcm() || noRelease || noAnsible;

interface Fleet {
  readonly hub: Host;
  readonly machines: readonly Host[];
  readonly inventory: string;
  readonly site: string;
}

async function startFleet(network: Network): Promise<Fleet> {
  const site = makeSite(network);
  const hub = await network.host("hub");
  const names = Array.from({ length: MACHINES }, (_, index) => `m${index + 1}`);
  const machines: Host[] = [];
  for (const name of names) machines.push(await network.host(name));
  const inventory = writeInventory(network, { machines: names, hubs: ["hub"] });
  return { hub, machines, inventory, site };
}

function roll(fleet: Fleet, wanted: string, serial = "100%") {
  const ccm_release_directory = path.join(fleet.site, "download", `v${wanted}`);
  return play(fleet.hub, fleet.inventory, { ccm_version: wanted, ccm_release_directory, ccm_serial: serial });
}

async function hubStatus({ hub }: Fleet): Promise<DaemonStatus> {
  return JSON.parse(await ccm(hub, "status", "--json"));
}

/** The memory of a host's processes that run ccm, in MB, shared pages divided among those who share them. */
function memoryMb(host: Host): number {
  const own = host.processes().filter(({ command }) => /ccm\S* (daemon|mirror|serve)/.test(command));
  const sizes = own.map(({ pid }) =>
    Number(/^Pss:\s+(\d+)/m.exec(fs.readFileSync(`${host.root}/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0),
  );
  return Math.round(sizes.reduce((total, size) => total + size, 0) / 1024);
}

/** Writes to every machine's session, over and over, until it is stopped; what was taken has to arrive or be told. */
function startTraffic(sender: StandInSession, names: readonly string[]) {
  const taken = new Map<string, string[]>();
  const ids = new Map<string, string>();
  let refused = 0;
  let running = true;
  const sendTo = async (name: string) => {
    for (let number = 0; running; number++) {
      const text = `${name} ${number}`;
      const [id] = await sender.send(name, text).catch(() => []);
      if (id === undefined) refused += 1;
      else {
        ids.set(text, id);
        taken.set(name, [...(taken.get(name) ?? []), text]);
      }
      await delay(TRAFFIC_MS);
    }
  };
  const done = Promise.all(names.map(sendTo));
  const stop = async () => {
    running = false;
    await done;
    return { taken, ids, refused };
  };
  return { stop };
}

test(`${MACHINES} machines from one inventory: installed, paired, told, checked, and upgraded under traffic without a loss`, {
  skip,
  timeout: 900_000,
}, async (t) => {
  await using network = await createNetwork();
  const fleet = await startFleet(network);
  const { hub, machines } = fleet;
  const first = await roll(fleet, version);
  t.diagnostic(`first rollout: ${first.seconds.toFixed(0)} s`);
  const second = await roll(fleet, version);
  t.diagnostic(`second rollout: ${second.seconds.toFixed(0)} s`);
  assert.deepEqual(
    [...second.changed].filter(([, count]) => count > 0),
    [],
  );
  assert.equal(second.changed.size, MACHINES + 1);

  const sender = await StandInSession.start(network, hub, "operator");
  const sessions = await Promise.all(machines.map((host) => StandInSession.start(network, host, "api")));
  const names = machines.map(({ name }) => `${name}-api`);
  await waitFor(() => names.every((name) => mirrorNames(hub).includes(name)), {
    what: "every machine's session at the hub",
    deadlineMs: 20_000,
  });
  const startedMs = performance.now();
  await Promise.all(names.map((name) => sender.send(name, "to everybody")));
  await Promise.all(sessions.map((session) => session.waitMessage("to everybody")));
  t.diagnostic(`a broadcast to ${MACHINES}: ${(performance.now() - startedMs).toFixed(0)} ms`);
  assert.equal((await runCcm(hub, ["status", "--check"])).code, 0);
  assert.deepEqual(
    (await hubStatus(fleet)).peers.map(({ state, members }) => [state, members]),
    Array(MACHINES).fill(["linked", 1]),
  );
  const [machine] = machines;
  t.diagnostic(`memory: hub ${memoryMb(hub)} MB, a machine ${machine ? memoryMb(machine) : 0} MB`);

  const traffic = startTraffic(sender, names);
  const upgrade = await roll(fleet, NEXT_VERSION, "5");
  await waitFor(async () => (await runCcm(hub, ["status", "--check"])).code === 0, { what: "every link again", deadlineMs: 60_000 });
  const { taken, ids, refused } = await traffic.stop();
  t.diagnostic(`rolling upgrade, five at a time: ${upgrade.seconds.toFixed(0)} s, ${ids.size} messages taken, ${refused} refused at once`);
  const status = await hubStatus(fleet);
  assert.deepEqual([status.daemon.version, ...status.peers.map((peer) => peer.version)], Array(MACHINES + 1).fill(NEXT_VERSION));

  let told = 0;
  let unconfirmed = 0;
  for (const [index, session] of sessions.entries()) {
    const wanted = taken.get(names[index] ?? "") ?? [];
    const heard = () => session.messages().map(({ envelope }) => envelope.body);
    // Where nobody knows whether it arrived: words that quote it.
    const isUnconfirmed = (text: string) => sender.messages().some(({ envelope }) => envelope.body.includes(`«${text}»`));
    const isTold = (text: string) => sender.receipts(ids.get(text) ?? "").length > 0 || isUnconfirmed(text);
    await waitFor(() => wanted.every((text) => heard().includes(text) || isTold(text)), {
      what: `every message to ${session.host.name}, or word of it`,
      deadlineMs: 30_000,
      otherwise: async () => {
        const lost = wanted.filter((text) => !heard().includes(text) && !isTold(text));
        const traces = lost.map(async (text) => `${text}: ${(await runCcm(hub, ["trace", ids.get(text) ?? ""])).stdout}`);
        return (await Promise.all(traces)).join("\n");
      },
    });
    const numbers = heard()
      .filter((text) => text !== "to everybody")
      .map((text) => Number(text.split(" ")[1]));
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].sort((one, other) => one - other),
      "once each, and in order",
    );
    told += wanted.filter((text) => !heard().includes(text)).length;
    unconfirmed += wanted.filter(isUnconfirmed).length;
  }
  t.diagnostic(`${told} of them did not arrive and their sender was told, ${unconfirmed} are unconfirmed`);
  assert.equal(unconfirmed, 0);
  for (const host of [...machines, hub]) await ccm(host, "down");
});
