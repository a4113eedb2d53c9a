import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { eventually } from "../../support/eventually.ts";
import { TestMachine } from "../../support/test-machine.ts";
import { startApi } from "../../unit/api/api-client.ts";

const README = fs.readFileSync(path.join(import.meta.dirname, "../../../src/api/README.md"), "utf8");

function examples(language: string): string[] {
  return [...README.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"))].map(([, code = ""]) => code);
}

function without(...programs: string[]): string | false {
  const missing = programs.find((program) => spawnSync(program, ["--version"]).error !== undefined);
  return missing === undefined ? false : `needs ${missing}`;
}

async function run(machine: TestMachine, file: string, code: string) {
  const child = spawn(file, ["-c", code], { env: machine.environment, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { stdout, stderr, status };
}

test("the page's examples with curl do what it says", { skip: without("bash", "curl", "jq") }, async (context) => {
  const machine = new TestMachine(context, "server");
  await startApi(context, machine, { name: "api" });
  const session = await machine.session("server-web");
  const [socketExample = "", portExample = ""] = examples("bash");
  const { stdout, stderr, status } = await run(machine, "bash", `set -e\n${socketExample.replace("--max-time 5", "--max-time 0.3")}`);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /"name":"server-web"[\s\S]*(queued|written)\n[\s\S]*retry: 1000/);
  await session.message("the build is green");
  assert.match(portExample, /127\.0\.0\.1:8414/);
});

test("the page's example at a port, with the token from its file", { skip: without("bash", "curl") }, async (context) => {
  const machine = new TestMachine(context, "server");
  const { running } = await startApi(context, machine, { listen: { host: "127.0.0.1", port: 0 } });
  const [, portExample = ""] = examples("bash");
  const { stdout, stderr, status } = await run(machine, "bash", portExample.replace("http://127.0.0.1:8414", running.url ?? ""));
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^\{"sessions":\[\{"name":"bot"/);
});

test("the page's bot in Python answers, and leaves when it is told", { skip: without("python3") }, async (context) => {
  const machine = new TestMachine(context, "server");
  await startApi(context, machine, { name: "api" });
  const session = await machine.session("web");
  const [bot = ""] = examples("python");
  const ended = run(machine, "python3", bot);
  // What comes before it listens is not told to it.
  await eventually(
    async () => {
      await session.send("api", `hi ${session.messages.length} ${Math.random()}`);
      return await eventually(() => session.messages.some(({ envelope }) => envelope.body.startsWith("you said: hi")), { deadlineMs: 700 });
    },
    { deadlineMs: 15_000, what: "an answer of the bot" },
  );
  await session.send("api", "leave");
  await session.message("you said: leave");
  const { stderr, status } = await ended;
  assert.deepEqual([stderr, status], ["", 0]);
});
