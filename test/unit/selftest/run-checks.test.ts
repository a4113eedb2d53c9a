import assert from "node:assert/strict";
import { test } from "node:test";
import { plainStyle } from "../../../src/cli/output/style.ts";
import { describeSelftest } from "../../../src/cli/selftest/describe-selftest.ts";
import type { Check, Lane, Stage } from "../../../src/selftest/check.ts";
import { Broken, SwitchedOff, Unchecked } from "../../../src/selftest/outcome.ts";
import { runChecks } from "../../../src/selftest/run-checks.ts";

const stage = { signal: new AbortController().signal } as Stage;

function check(name: string, lane: Lane, run: () => Promise<unknown>): Check {
  return { name, lane, relies: `${name} is so`, run };
}

const failing = (error: Error) => () => Promise.reject(error);

test("what a check throws says what is known: broken, unchecked, switched off; a fault of our own is no verdict on Claude Code", async () => {
  const checks = [
    check("a", "asking", async () => {}),
    check("b", "asking", async () => "like this"),
    check("c", "asking", failing(new Broken("it is otherwise"))),
    check("d", "asking", failing(new Unchecked("the session is gone"))),
    check("e", "asking", failing(new SwitchedOff("not here"))),
    check("f", "asking", failing(new TypeError("undefined is not a function"))),
  ];
  const results = await runChecks(stage, checks, () => {});
  assert.deepEqual(
    results.map(({ outcome }) => outcome),
    [
      { kind: "holds" },
      { kind: "holds", detail: "like this" },
      { kind: "broken", detail: "it is otherwise" },
      { kind: "unchecked", detail: "the session is gone" },
      { kind: "off", detail: "not here" },
      { kind: "unchecked", detail: "undefined is not a function" },
    ],
  );
});

test("checks of one lane follow each other, lanes run side by side, and the results come in the order of the checks", async () => {
  const { promise: bothRun, resolve } = Promise.withResolvers<void>();
  const order: string[] = [];
  const checks = [
    check("first", "asking", () => bothRun.then(() => order.push("first"))),
    check("other", "bold", async () => resolve()),
    check("second", "asking", async () => order.push("second")),
  ];
  const told: string[] = [];
  const results = await runChecks(stage, checks, (result) => told.push(result.check.name));
  assert.deepEqual(order, ["first", "second"]);
  assert.deepEqual(told, ["other", "first", "second"]);
  assert.deepEqual(
    results.map((result) => result.check.name),
    ["first", "other", "second"],
  );
});

test("an interrupted run ends, and gives no verdicts", async () => {
  const stop = new AbortController();
  const interrupted = check("a", "asking", async () => {
    stop.abort();
    throw new Unchecked("aborted");
  });
  await assert.rejects(
    runChecks({ signal: stop.signal } as Stage, [interrupted], () => {}),
    { name: "AbortError" },
  );
});

test("the report has a line for each row, what is to be said under it as one inert line, and the sum", async () => {
  const results = await runChecks(
    stage,
    [check("one.row", "asking", async () => {}), check("two", "asking", failing(new Broken("it says \u001b[31mno\u001b[0m\nreally")))],
    () => {},
  );
  assert.deepEqual(describeSelftest(results, { version: "2.1.999", tookMs: 29_600 }, plainStyle).split("\n"), [
    "holds          one.row  one.row is so",
    "DOES NOT HOLD  two      two is so",
    "                        → it says no really",
    "",
    "Claude Code 2.1.999: 1 hold, 1 do not; 30 s",
  ]);
});
