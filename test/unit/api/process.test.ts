import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { healthSchema } from "../../../src/api/schema.ts";
import { eventually } from "../../support/eventually.ts";
import { TestMachine } from "../../support/test-machine.ts";
import { ApiClient } from "./api-client.ts";

const DEADLINE = { deadlineMs: 10_000 };
const MAIN = path.join(import.meta.dirname, "../../../src/main.ts");

/** Runs `ccm api` to its end. */
async function run({ environment }: TestMachine, ...words: string[]) {
  const child = spawn(process.execPath, [MAIN, "api", ...words], { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { stdout, stderr, code };
}

async function start(context: TestContext, { environment }: TestMachine, ...words: string[]) {
  const child = spawn(process.execPath, [MAIN, "api", "--json", ...words], { env: environment, stdio: ["ignore", "pipe", "ignore"] });
  context.after(() => end(child, "SIGKILL"));
  const [line] = await once(createInterface(child.stdout), "line");
  return { child, told: JSON.parse(line) };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<{ code: number | null; tookMs: number }> {
  const startMs = performance.now();
  if (child.exitCode !== null || child.signalCode !== null) return { code: child.exitCode, tookMs: 0 };
  const closed = once(child, "close");
  child.kill(signal);
  const [code] = await closed;
  return { code, tookMs: performance.now() - startMs };
}

/** What is there of a peer: records, keys and inboxes. */
function traces({ paths, environment }: TestMachine): string[] {
  const directories = [path.join(paths.claudeConfig, "sessions"), path.join(environment["XDG_RUNTIME_DIR"] ?? "", "cc-socks")];
  return directories.flatMap((directory) => fs.readdirSync(directory));
}

test("ended by SIGTERM or SIGINT it goes at once, though a stream is open, and leaves no socket and no peer", async (context) => {
  const machine = new TestMachine(context, "laptop");
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const { child, told } = await start(context, machine);
    const client = new ApiClient({ socketPath: told.socket });
    assert.equal((await client.get("/health", healthSchema)).address, told.address);
    const events = await client.events();
    const { code, tookMs } = await end(child, signal);
    assert.equal(code, 0);
    assert.ok(tookMs < 2_000, `it took ${tookMs} ms`);
    events.close();
    assert.deepEqual([fs.existsSync(told.socket), traces(machine)], [false, []]);
  }
});

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
