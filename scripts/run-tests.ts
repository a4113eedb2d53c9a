/**
 * `run-tests.ts TIER...`: runs the tiers, each although one before it failed, and sums them up. `all` is every tier; those that
 * this machine cannot run are skipped with their reason. Exit code 1 if a tier failed.
 */
import { spawn } from "node:child_process";
import path from "node:path";
import { countTests, failedFiles, type TestCounts } from "./test-counts.ts";
import { findTiers, type Tier } from "./test-tiers.ts";

type Outcome = { readonly tier: Tier; readonly seconds: number } & (
  | { readonly kind: "ran"; readonly ok: boolean; readonly counts: TestCounts; readonly unsteady: readonly string[] }
  | { readonly kind: "skipped"; readonly reason: string }
);

const root = path.join(import.meta.dirname, "..");
const binaries = path.join(root, "node_modules", ".bin");

async function runTier(tier: Tier): Promise<Outcome> {
  console.log(`\n== ${tier.name}: ${tier.what}`);
  const reason = tier.unavailable?.();
  if (reason !== undefined) return { tier, seconds: 0, kind: "skipped", reason };
  const startedMs = performance.now();
  let counts: TestCounts = { passed: 0, failed: 0, skipped: 0 };
  let ok = true;
  const unsteady: string[] = [];
  for (const command of tier.commands(root)) {
    const step = await runStep(command);
    counts = add(counts, step.counts);
    unsteady.push(...step.unsteady);
    // What follows in a tier needs what came before it, as tests of the executable need the executable.
    ok = step.ok;
    if (!ok) break;
  }
  return { tier, seconds: (performance.now() - startedMs) / 1000, kind: "ran", ok, counts, unsteady };
}

/**
 * Runs a command; test files that failed run once more, by themselves. One that passes then depends on what else the machine does:
 * the run counts, and the last lines name the file, so that nobody takes it for sound.
 */
async function runStep(command: readonly string[]): Promise<{ ok: boolean; counts: TestCounts; unsteady: readonly string[] }> {
  const { exitCode, output } = await runAndShow(command);
  const counts = countTests(output) ?? stepAsTest(exitCode);
  const files = exitCode === 0 ? [] : failedFiles(output);
  if (files.length === 0) return { ok: exitCode === 0, counts, unsteady: [] };
  console.log(`\n-- once more, by themselves: ${files.join(" ")}`);
  const again = await runAndShow([...command.slice(0, -1), "--test-concurrency=1", ...files]);
  const failed = countTests(again.output)?.failed ?? counts.failed;
  const isMended = again.exitCode === 0;
  return {
    ok: isMended,
    counts: { ...counts, passed: counts.passed + Math.max(0, counts.failed - failed), failed },
    unsteady: isMended ? files : [],
  };
}

/** A step that is no test run counts as one test. */
function stepAsTest(exitCode: number): TestCounts {
  return exitCode === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

/** Settles when the command has ended and its output is read; a command that cannot start counts as exit code 127. */
function runAndShow(command: readonly string[]): Promise<{ exitCode: number; output: string }> {
  const [file = "", ...args] = command;
  // The tests start many processes from source: compiled once, each starts in a fifth of the time.
  const NODE_COMPILE_CACHE = path.join(root, "node_modules", ".cache", "compile");
  const env = { ...process.env, NODE_COMPILE_CACHE, PATH: `${binaries}${path.delimiter}${process.env["PATH"] ?? ""}` };
  const child = spawn(file, args, { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    process.stdout.write(text);
  });
  return new Promise((resolve) => {
    child.once("error", (error) => {
      console.error(error.message);
      resolve({ exitCode: 127, output });
    });
    child.once("close", (exitCode) => resolve({ exitCode: exitCode ?? 1, output }));
  });
}

function add(left: TestCounts, right: TestCounts): TestCounts {
  return { passed: left.passed + right.passed, failed: left.failed + right.failed, skipped: left.skipped + right.skipped };
}

function verdict(outcome: Outcome): string {
  const name = outcome.tier.name.padEnd(9);
  if (outcome.kind === "skipped") return `${name} skipped   ${outcome.reason}`;
  const { passed, failed, skipped } = outcome.counts;
  const unsteady = outcome.unsteady.length === 0 ? "" : `; only when run again: ${outcome.unsteady.join(" ")}`;
  return `${name} ${outcome.ok ? "ok     " : "FAILED "}   ${outcome.seconds.toFixed(1)} s: ${passed} passed, ${failed} failed, ${skipped} skipped${unsteady}`;
}

const outcomes: Outcome[] = [];
for (const tier of findTiers(process.argv.slice(2))) outcomes.push(await runTier(tier));

const ran = outcomes.filter((outcome) => outcome.kind === "ran");
const total = ran.map(({ counts }) => counts).reduce(add, { passed: 0, failed: 0, skipped: 0 });
console.log(`\n${outcomes.map(verdict).join("\n")}`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped + outcomes.length - ran.length} skipped`);
process.exitCode = ran.every(({ ok }) => ok) ? 0 : 1;
