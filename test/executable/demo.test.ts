import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { bareEnvironment, executable, notBuilt } from "../support/built-executable.ts";
import { eventually } from "../support/eventually.ts";
import { processesMarked } from "../support/process-list.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

/** Two cores that are shared with other tests: many times what it takes alone. */
const DEADLINE_MS = 110_000;

class Demo {
  output = "";
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #child;

  constructor(t: TestContext, variables: NodeJS.ProcessEnv) {
    // As from a home that it must not touch.
    const env = { ...bareEnvironment(t), CCM_TEST_MARK: process.env["CCM_TEST_MARK"], ...variables };
    this.#child = spawn(executable, ["demo"], { env, stdio: ["ignore", "pipe", "pipe"], timeout: DEADLINE_MS });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
      });
    }
    this.ended = new Promise((resolve) => this.#child.once("close", (code, signal) => resolve({ code, signal })));
  }

  async says(text: string): Promise<void> {
    await eventually(() => this.output.includes(text), { deadlineMs: DEADLINE_MS, what: `"${text}" in ${this.output}` });
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Leaves its reader without a reader. */
  closeOutput(): void {
    this.#child.stdout.destroy();
  }
}

function assertGone(temporary: string): void {
  assert.deepEqual(fs.readdirSync(temporary), []);
  assert.deepEqual(
    processesMarked(`TMPDIR=${temporary}`).filter(({ pid }) => pid !== process.pid),
    [],
  );
}

/** The demo's throwaway homes are in here, so that its processes can be told by their home. */
function processesOf(output: string): unknown[] {
  const home = /\S*ccm-demo-\w+\/laptop/.exec(output)?.[0];
  assert.ok(home);
  return [home, home.replace(/laptop$/, "server")].flatMap((one) => processesMarked(`HOME=${one}`));
}

test("the demo shows the whole path with nothing on PATH, and leaves nothing", { skip: notBuilt }, async (t) => {
  const temporary = temporaryDirectory(t);
  const home = temporaryDirectory(t);
  const demo = new Demo(t, { HOME: home, TMPDIR: temporary });
  assert.deepEqual(await demo.ended, { code: 0, signal: null }, demo.output);
  const told = [
    "laptop $ ccm init --label laptop",
    "laptop $ ccm pair server",
    "linked to server",
    "laptop $ ccm status",
    "laptop $ ccm roster",
    "server-api",
    "laptop-web-ui",
    "is told: held",
    "is told: delivered",
    "exit 0",
    "nobody here is called server-api",
    "exit 10",
    "laptop $ ccm unpair server",
    "Nothing is left",
  ];
  let from = 0;
  for (const text of told) {
    const found = demo.output.indexOf(text, from);
    assert.notEqual(found, -1, `"${text}" is missing, or in another place, in:\n${demo.output}`);
    from = found;
  }
  assert.ok(!demo.output.includes("\u001b"), "no colours without a terminal");
  assert.deepEqual(processesOf(demo.output), []);
  assertGone(temporary);
  assert.deepEqual(fs.readdirSync(home), [], "nothing in the person's own home");
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`the demo is ended by ${signal} in the middle and leaves nothing`, { skip: notBuilt }, async (t) => {
    const temporary = temporaryDirectory(t);
    const demo = new Demo(t, { TMPDIR: temporary });
    await demo.says("ccm pair server");
    demo.kill(signal);
    const { code } = await demo.ended;
    assert.equal(code, signal === "SIGINT" ? 130 : 143, demo.output);
    assert.match(demo.output, /Interrupted/);
    assert.deepEqual(processesOf(demo.output), []);
    assertGone(temporary);
  });
}

test("a reader that leaves early ends the demo, and nothing is left", { skip: notBuilt }, async (t) => {
  const temporary = temporaryDirectory(t);
  const demo = new Demo(t, { TMPDIR: temporary });
  await demo.says("ccm init --label server");
  demo.closeOutput();
  await demo.ended;
  assert.deepEqual(processesOf(demo.output), []);
  assertGone(temporary);
});

test("the demo says at which step it stopped, and why, when something is not as it should be", { skip: notBuilt }, async (t) => {
  const temporary = temporaryDirectory(t);
  const demo = new Demo(t, { TMPDIR: temporary });
  await demo.says("1  Two machines");
  await demo.says("server $ ccm init");
  const server = path.join(temporary, fs.readdirSync(temporary)[0] ?? "", "server");
  fs.writeFileSync(path.join(server, ".cache"), "in the way of the executable");
  const { code } = await demo.ended;
  assert.equal(code, 25, demo.output);
  assert.match(demo.output, /the demo stopped at step 2, .*ccm pair server` ended with exit code 40/);
  assertGone(temporary);
});
