import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { MachineHealth } from "../../../src/cli/doctor/examine-fleet.ts";
import { TestMachine } from "../../support/test-machine.ts";

const MAIN = path.join(import.meta.dirname, "../../../src/main.ts");

async function doctorAll(machine: TestMachine): Promise<{ exitCode: number; machines: MachineHealth[] }> {
  const { promise, resolve } = Promise.withResolvers<{ exitCode: number; stdout: string }>();
  const child = execFile(process.execPath, [MAIN, "doctor", "--all", "--json"], { env: machine.environment }, (_failure, stdout) =>
    resolve({ exitCode: child.exitCode ?? -1, stdout }),
  );
  const { exitCode, stdout } = await promise;
  return { exitCode, machines: (JSON.parse(stdout) as { machines: MachineHealth[] }).machines };
}

test("every paired machine checks itself and says so in one table; one that cannot be reached is told by the exit code", async (context) => {
  const [hub, web, db] = await Promise.all(["hub", "web", "db"].map((label) => new TestMachine(context, label).start()));
  assert.ok(hub && web && db);
  await hub.pair(web);
  await hub.pair(db);
  fs.chmodSync(web.paths.state, 0o777);
  const all = await doctorAll(hub);
  // No ssh leads to these machines, which is for the hub to mend.
  const failing = all.machines[0]?.findings.filter(({ level }) => level === "fail") ?? [];
  assert.ok(failing.every(({ check }) => check === "host_key" || check === "ssh_transport"));
  assert.deepEqual(
    all.machines.slice(1).map(({ machine, link, result }) => [machine, link, result]),
    [
      ["web", "linked", "fail"],
      ["db", "linked", "warn"],
    ],
  );
  const [failed] = all.machines[1]?.findings.filter(({ level }) => level === "fail") ?? [];
  assert.deepEqual([failed?.check, failed?.fix], ["state_directory", `chmod 700 ${web.paths.state}`]);
  assert.equal(all.exitCode, 25);
  await db.stop(false);
  const without = await doctorAll(hub);
  assert.deepEqual([without.machines[2]?.result, without.exitCode], ["unreached", 53]);
  await hub.stop();
  const stopped = await doctorAll(hub);
  assert.deepEqual(
    stopped.machines.map(({ machine, link, result }) => [machine, link, result]),
    [
      ["hub", "here", "fail"],
      ["web", "unknown", "unreached"],
      ["db", "unknown", "unreached"],
    ],
  );
  assert.equal(stopped.exitCode, 20);
});
