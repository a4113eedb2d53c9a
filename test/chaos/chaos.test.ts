import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { whyNoCcm } from "../hosts/harness/ccm.ts";
import { describeReport, faultsFound } from "./harness/report.ts";
import { runChaos } from "./harness/run-chaos.ts";

const LENGTH_MS = 60_000;
/** Another one each day; `npm run chaos -- --seed` repeats it. */
const seed = Math.floor(Date.now() / 86_400_000);

test(`a minute of faults on three hosts: every message arrives once and in order or is told, and nothing is left (seed ${seed})`, {
  skip: whyNoCcm(),
  timeout: 500_000,
}, async (context) => {
  const said: string[] = [];
  const report = await runChaos({
    seed,
    lengthMs: LENGTH_MS,
    hosts: ["laptop", "server", "gpu"],
    sessionsPerHost: 2,
    messageEveryMs: 500,
    faultEveryMs: 3_000,
    say: (line) => said.push(line),
  });
  for (const line of describeReport(report).split("\n")) context.diagnostic(line);
  assert.deepEqual(faultsFound(report), [], said.join("\n").slice(0, 100_000));
});
