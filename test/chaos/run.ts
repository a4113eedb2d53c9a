/**
 * `npm run chaos -- [--minutes N] [--seed S] [--hosts 2|3] [--sessions N] [--every MS] [--faults MS] [--only KIND,…]`: the fault harness. Prints seed
 * and plan, so that a run can be repeated, and the figures. Exit code 1 if a message was lost in silence, came twice, damaged or out of
 * order, or if anything was left behind.
 */
import { parseArgs } from "node:util";
import { whyNoCcm } from "../hosts/harness/ccm.ts";
import type { FaultKind } from "./harness/plan.ts";
import { faultKinds } from "./harness/plan.ts";
import { describeReport, faultsFound } from "./harness/report.ts";
import { runChaos } from "./harness/run-chaos.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({
  options: {
    minutes: { ...text, default: "5" },
    seed: { ...text, default: String(Math.floor(Math.random() * 1_000_000)) },
    hosts: { ...text, default: "3" },
    sessions: { ...text, default: "3" },
    every: { ...text, default: "600" },
    faults: { ...text, default: "5000" },
    only: text,
  },
});
const reason = whyNoCcm();
if (reason) {
  console.error(`cannot run here: ${reason}`);
  process.exit(1);
}
const kinds = values.only?.split(",").map((kind) => {
  if (!Object.hasOwn(faultKinds, kind)) throw new Error(`no fault is called "${kind}": ${Object.keys(faultKinds).join(", ")}`);
  return kind as FaultKind;
});
const report = await runChaos({
  seed: Number(values.seed),
  lengthMs: Number(values.minutes) * 60_000,
  hosts: ["laptop", "server", "gpu"].slice(0, Number(values.hosts)),
  sessionsPerHost: Number(values.sessions),
  messageEveryMs: Number(values.every),
  faultEveryMs: Number(values.faults),
  kinds,
  say: (line) => console.log(`${new Date().toISOString().slice(11, 23)} ${line}`),
});
console.log(describeReport(report));
const found = faultsFound(report);
for (const line of found.slice(0, 50)) console.log(`NOT GOOD: ${line}`);
console.log(found.length === 0 ? "no fault found" : `${found.length} faults found`);
process.exitCode = found.length === 0 ? 0 : 1;
