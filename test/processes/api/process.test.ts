import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { healthSchema } from "../../../src/api/schema.ts";
import { eventually } from "../../support/eventually.ts";
import { TestMachine } from "../../support/test-machine.ts";
import { ApiClient } from "../../unit/api/api-client.ts";
import { end, run, start, traces } from "../../unit/api/api-process.ts";

const DEADLINE = { deadlineMs: 10_000 };

test("killed with -9 it leaves no name, and the next start replaces its dead socket", async (context) => {
  const machine = new TestMachine(context, "laptop");
  const { child, told } = await start(context, machine);
  assert.deepEqual(machine.names(), ["api"]);
  await end(child, "SIGKILL");
  await eventually(() => traces(machine).length === 0, DEADLINE);
  assert.equal(fs.existsSync(told.socket), true);
  const next = await start(context, machine);
  assert.deepEqual([machine.names(), next.told.socket], [["api"], told.socket]);
  await new ApiClient({ socketPath: told.socket }).get("/health", healthSchema);
  const twin = await run(machine, "--name", "api");
  assert.deepEqual([twin.code, twin.stdout], [11, ""]);
  const other = await run(machine, "--name", "other", "--socket", told.socket);
  assert.deepEqual([other.code, machine.names()], [21, ["api"]]);
  assert.equal((await end(next.child, "SIGTERM")).code, 0);
  assert.deepEqual(traces(machine), []);
});

test("when the process dies that listens for sessions, another takes its place under the same name", async (context) => {
  const machine = new TestMachine(context, "laptop");
  const { child, told } = await start(context, machine);
  const client = new ApiClient({ socketPath: told.socket });
  const [listed] = machine.listed();
  process.kill(listed?.pid ?? 0, "SIGKILL");
  const health = await eventually(async () => {
    const { status, text } = await client.ask("/health");
    return status === 200 && !text.includes(told.address) && healthSchema.parse(JSON.parse(text));
  }, DEADLINE);
  assert.deepEqual([health.name, machine.names()], ["api", ["api"]]);
  await end(child, "SIGTERM");
});

test("it listens at a port of the loopback only, says where and never the token", async (context) => {
  const machine = new TestMachine(context, "laptop");
  const { code, stderr } = await run(machine, "--listen", "0.0.0.0:8414");
  assert.deepEqual(
    [code, stderr.split("\n")[0]],
    [2, "ccm: api: 0.0.0.0 is not this machine's loopback, and the API does not encrypt what it says"],
  );
  const { child, told } = await start(context, machine, "--listen", "localhost:0", "--name", "a b");
  assert.match(told.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  const token = fs.readFileSync(told.tokenFile, "utf8").trim();
  assert.ok(!JSON.stringify(told).includes(token));
  const client = new ApiClient({ host: "127.0.0.1", port: Number(new URL(told.url).port) });
  assert.deepEqual(await client.refused("/health"), [401, "unauthorized"]);
  assert.equal((await client.with({ Authorization: `Bearer ${token}` }).get("/health", healthSchema)).name, "a b");
  await end(child, "SIGTERM");
});

test("what is in the way of the socket and is none, or lies in a directory for all, is refused", async (context) => {
  const machine = new TestMachine(context, "laptop");
  const file = path.join(machine.paths.home, "file");
  fs.writeFileSync(file, "precious");
  assert.equal((await run(machine, "--socket", file)).code, 22);
  assert.equal(fs.readFileSync(file, "utf8"), "precious");
  const open = path.join(machine.paths.home, "open");
  fs.mkdirSync(open);
  fs.chmodSync(open, 0o755);
  assert.equal((await run(machine, "--socket", path.join(open, "s"))).code, 23);
  assert.deepEqual(traces(machine), []);
});
