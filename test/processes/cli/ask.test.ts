import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { ask } from "../../../src/cli/ask/ask.ts";
import { sendAndWait } from "../../../src/cli/send/run-send-and-wait.ts";
import type { TimedState } from "../../../src/link/message-states.ts";
import { eventually } from "../../support/eventually.ts";
import { pairOfMachines } from "../../support/pair-of-machines.ts";
import { TestMachine, type TestSession } from "../../support/test-machine.ts";

const DEADLINE = { deadlineMs: 10_000 };

function askFrom(
  { paths, environment }: TestMachine,
  name: string,
  text: string,
  options: { timeoutMs?: number; seen?: TimedState[] } = {},
) {
  const { timeoutMs = 20_000, seen = [] } = options;
  return ask({ name, text, timeoutMs, paths, environment, onState: (state) => seen.push(state) });
}

function follow({ paths, environment }: TestMachine, name: string, text: string, options: { waitMs?: number; lines?: string[] } = {}) {
  const { waitMs = 20_000, lines = [] } = options;
  return sendAndWait({ name, text, json: false, waitMs }, { paths, environment, onProgress: (line) => lines.push(line) });
}

const MAIN = path.join(import.meta.dirname, "../../../src/main.ts");

function ccm({ environment }: TestMachine, words: readonly string[], input = "") {
  const child = spawn(process.execPath, [MAIN, ...words], { env: environment });
  child.stdin.end(input);
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { child, ended: ended.then(([stdout, stderr, [code, signal]]) => ({ stdout, stderr, code, signal })) };
}

const statesOf = ({ states }: { states: readonly TimedState[] }) => states.map(({ state }) => state);

async function receipt(session: TestSession, text: string, ...statuses: ("held" | "delivered" | "denied")[]): Promise<void> {
  const { frame } = await session.message(text);
  for (const status of statuses) await session.order({ op: "answer", frame, status });
}

test("T6 ask: held, then delivered, then answered, in order; nothing is sent again in between", async (context) => {
  const { laptop, api } = await pairOfMachines(context);
  const seen: TimedState[] = [];
  const asked = askFrom(laptop, "server-api", "may I?", { seen });
  await receipt(api, "may I?", "held");
  await eventually(() => seen.at(-1)?.state === "held", DEADLINE);
  await receipt(api, "may I?", "delivered");
  await eventually(() => seen.at(-1)?.state === "delivered", DEADLINE);
  const [message] = api.messages;
  await api.send(message?.envelope.from ?? "", "yes");
  assert.deepEqual(statesOf(await asked), ["queued", "sent", "written", "held", "delivered"]);
  assert.equal(api.messages.length, 1);
});

test("ask: a session of this machine; one that says no, one that ends, one that stays silent", async (context) => {
  const laptop = await new TestMachine(context, "laptop").start();
  const api = await laptop.session("api");
  const answered = askFrom(laptop, "api", "one");
  await api.send((await api.message("one")).envelope.from, "1");
  assert.equal((await answered).answer, "1");
  const denied = assert.rejects(askFrom(laptop, "api", "two"), { code: "refused", message: /^denied: the person at api / });
  await receipt(api, "two", "held", "denied");
  await denied;
  await assert.rejects(askFrom(laptop, "api", "three", { timeoutMs: 500 }), {
    code: "timeout",
    message: /^no answer from api within 0.5 s; /,
  });
  const ended = assert.rejects(askFrom(laptop, "api", "four"), { code: "undeliverable", message: "api has ended without an answer" });
  await api.message("four");
  await api.end("SIGKILL");
  await ended;
  await assert.rejects(askFrom(laptop, "api", "five"), (error: Error & { code: string }) =>
    /undeliverable|no_such_member/.test(error.code),
  );
  assert.deepEqual(laptop.names(), []);
});

test("T6 T7 send --wait tells held, then delivered or denied, and the trail of both machines has it", async (context) => {
  const { laptop, api } = await pairOfMachines(context);
  const lines: string[] = [];
  const first = follow(laptop, "server-api", "one", { lines });
  await receipt(api, "one", "held");
  await eventually(() => lines.length === 2, DEADLINE);
  await receipt(api, "one", "delivered");
  const report = await first;
  assert.deepEqual(
    [report.state, report.error, statesOf(report)],
    ["delivered", undefined, ["queued", "sent", "written", "held", "delivered"]],
  );
  assert.deepEqual(lines, [
    "written to server-api",
    "held at server-api: its person is asked first",
    "delivered to server-api: its person let it through",
  ]);
  const second = follow(laptop, "server-api", "two");
  await receipt(api, "two", "held", "denied");
  const { state, error, messageId } = await second;
  assert.deepEqual([state, error?.code, error?.hint], ["denied", "refused", `ccm trace ${messageId.slice(0, 8)} tells more`]);
  const answer = await eventually(async () => {
    const { machines = [] } = (await laptop.ask({ op: "trace", messageId: messageId.slice(0, 8) })) as { machines?: { lines: object[] }[] };
    return machines.every(({ lines }) => lines.some((line) => "state" in line && line.state === "denied")) && machines;
  }, DEADLINE);
  assert.equal(answer.length, 2);
});

test("T2 L1 send --wait: what waits for the link is queued and goes out later, who is gone cannot be reached", async (context) => {
  const { laptop, api } = await pairOfMachines(context);
  laptop.cut();
  await eventually(async () => (await laptop.mirror("server-api")).detail?.startsWith("offline since"), DEADLINE);
  const queued = await follow(laptop, "server-api", "two", { waitMs: 2_000 });
  assert.deepEqual([queued.state, queued.error], ["queued", undefined]);
  laptop.mend();
  // Nobody waits for an answer any more: it comes from the person.
  assert.equal((await api.message("two")).envelope.from, "ccm:laptop");
  await api.end("SIGKILL");
  const gone = await follow(laptop, "server-api", "three").catch((error) => error);
  assert.match(gone.state ?? gone.code, /undeliverable|no_such_member/);
});

test("T1 send --wait to a session of this machine that never says anything ends with written", async (context) => {
  const laptop = await new TestMachine(context, "laptop").start();
  await laptop.session("api");
  const { state, error, machine } = await follow(laptop, "api", "hello", { waitMs: 3_000 });
  assert.deepEqual([state, error, machine], ["written", undefined, undefined]);
});

test("ccm ask prints the body alone; ended by Ctrl-C or killed, it leaves no record, key or socket", async (context) => {
  const laptop = await new TestMachine(context, "laptop").start();
  const api = await laptop.session("api");
  const asked = ccm(laptop, ["ask", "api"], "how many?");
  await receipt(api, "how many?", "held");
  await api.send((await api.message("how many?")).envelope.from, "8443");
  const held = "held at api: its person is asked first\n";
  assert.deepEqual(await asked.ended, { stdout: "8443\n", stderr: held, code: 0, signal: null });
  for (const signal of ["SIGINT", "SIGKILL"] as const) {
    const { child, ended } = ccm(laptop, ["ask", "api", signal]);
    await api.message(signal);
    child.kill(signal);
    assert.deepEqual(await ended, { stdout: "", stderr: "", code: null, signal });
  }
  const sessions = path.join(laptop.paths.claudeConfig, "sessions");
  const sockets = path.join(laptop.environment["XDG_RUNTIME_DIR"] ?? "", "cc-socks");
  await eventually(() => fs.readdirSync(sessions).length === 2 && fs.readdirSync(sockets).length === 1, DEADLINE);
});

test("ccm send --wait: what a session does not let through is the exit code, and in --json the states; T8 nobody is nobody", async (context) => {
  const laptop = await new TestMachine(context, "laptop").start();
  const api = await laptop.session("api");
  const sent = ccm(laptop, ["send", "api", "--json", "--wait=20", "drop the table"]);
  await receipt(api, "drop the table", "held", "denied");
  const { stdout, code } = await sent.ended;
  const { state, states, error } = JSON.parse(stdout);
  assert.deepEqual([code, state, error.code, statesOf({ states })], [17, "denied", "refused", ["written", "held", "denied"]]);
  const nobody = await ccm(laptop, ["send", "--wait", "apo", "hi"]).ended;
  assert.deepEqual([nobody.code, nobody.stdout, api.messages.length], [10, "", 1]);
});
