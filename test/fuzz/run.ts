/**
 * `npm run fuzz -- [--lines N] [--seed S] [--only TARGET,…]`: hostile lines, a million unless told otherwise, at everything that reads what
 * others wrote. Prints a line each with the figures. Exit code 1 if an exception escaped, a target stopped working, or its memory grew.
 */
import { parseArgs } from "node:util";
import { runFuzz } from "./run-fuzz.ts";
import { targets } from "./targets/targets.ts";

const MAX_GROWTH_BYTES = 16 * 1024 * 1024;

const { values } = parseArgs({
  options: {
    lines: { type: "string", default: "1000000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    only: { type: "string", default: Object.keys(targets).join(",") },
  },
});
console.log(`seed ${values.seed}`);
for (const name of values.only.split(",")) {
  const open = targets[name];
  if (!open) throw new Error(`no target is called "${name}": ${Object.keys(targets).join(", ")}`);
  try {
    const { lines, seconds, heapBeforeBytes, heapAfterBytes } = await runFuzz(open, Number(values.lines), Number(values.seed));
    const grownBytes = heapAfterBytes - heapBeforeBytes;
    const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
    const verdict = grownBytes < MAX_GROWTH_BYTES ? "ok" : "GREW";
    if (verdict !== "ok") process.exitCode = 1;
    console.log(
      `${name.padEnd(9)} ${verdict}  ${lines} lines, ${seconds.toFixed(1)} s, heap ${megabytes(heapBeforeBytes)} → ${megabytes(heapAfterBytes)} MB`,
    );
  } catch (error) {
    process.exitCode = 1;
    console.log(`${name.padEnd(9)} FAILED`, error);
  }
}
