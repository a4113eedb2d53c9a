/**
 * `run.ts [--json FILE] [ROW...]`: runs the named rows, or all, prints a table, and writes `dist/bench.json`. Exit code 1 if a
 * row failed. A missed target is shown and fails nothing: this machine may be busy.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { formatTable } from "./print-table.ts";
import { type Result, resultOf } from "./result.ts";
import type { Row } from "./row.ts";

const root = path.join(import.meta.dirname, "..", "..");

async function loadRows(names: readonly string[]): Promise<readonly Row[]> {
  const directory = path.join(import.meta.dirname, "rows");
  const files = fs.readdirSync(directory).filter((file) => file.endsWith(".ts"));
  const modules = await Promise.all(files.map((file) => import(path.join(directory, file)) as Promise<{ row: Row }>));
  const rows = modules.map(({ row }) => row);
  const unknown = names.find((name) => !rows.some((row) => row.name === name));
  if (unknown !== undefined) throw new Error(`there is no row ${unknown}; there are ${rows.map(({ name }) => name).join(", ")}`);
  return names.length === 0 ? rows : rows.filter(({ name }) => names.includes(name));
}

function describeMachine() {
  const cpus = os.cpus();
  return {
    cores: cpus.length,
    cpu: cpus[0]?.model ?? "unknown",
    system: `${os.type()} ${os.release()}`,
    node: process.versions.node,
    load: os.loadavg()[0] ?? 0,
  };
}

async function runRow(row: Row): Promise<{ results: readonly Result[]; skipped?: string; failed?: string }> {
  const skipped = row.unavailable();
  if (skipped !== false) return { results: [], skipped };
  process.stderr.write(`${row.name} …\n`);
  try {
    return { results: (await row.run()).map((measurement) => resultOf(row.name, measurement)) };
  } catch (error) {
    return { results: [], failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

const { values, positionals } = parseArgs({ options: { json: { type: "string" } }, allowPositionals: true });
const machine = describeMachine();
const rows = await loadRows(positionals);
const outcomes = [];
for (const row of rows) outcomes.push({ row: row.name, ...(await runRow(row)) });

const results = outcomes.flatMap((outcome) => outcome.results);
console.log(
  `${machine.cores} cores (${machine.cpu}), ${machine.system}, Node ${machine.node}, load ${machine.load.toFixed(1)} at the start\n`,
);
if (results.length > 0) console.log(formatTable(results));
for (const { row, skipped, failed } of outcomes) {
  if (skipped !== undefined) console.log(`${row}: skipped, ${skipped}`);
  if (failed !== undefined) console.log(`${row}: FAILED\n${failed}`);
}
const file = values.json ?? path.join(root, "dist", "bench.json");
fs.mkdirSync(path.dirname(file), { recursive: true });
fs.writeFileSync(file, `${JSON.stringify({ machine, results, outcomes: outcomes.map(({ results: _, ...rest }) => rest) }, null, 2)}\n`);
process.exitCode = outcomes.some(({ failed }) => failed !== undefined) ? 1 : 0;
