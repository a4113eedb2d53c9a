import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { ccmExecutable } from "../../hosts/harness/ccm.ts";
import type { Measurement, Row } from "../row.ts";
import { writeBareListener } from "../support/bare-listener.ts";
import { ScratchHome } from "../support/scratch-home.ts";

const COUNT = 12;
/** What a process needed only to start is given back or not by then. */
const SETTLE_MS = 2_000;

/** The memory of a mirror, its share of what mirrors have in common included (PSS). */
export const row: Row = {
  name: "mirror-memory",
  unavailable: () => {
    if (!fs.existsSync("/proc/self/smaps_rollup")) return "needs /proc/PID/smaps_rollup";
    return !fs.existsSync(ccmExecutable) && "dist/ccm is not built (npm run build)";
  },
  run: measure,
};

async function measure(): Promise<readonly Measurement[]> {
  using home = new ScratchHome();
  const mirrors: ChildProcessWithoutNullStreams[] = [];
  const bare: ChildProcessWithoutNullStreams[] = [];
  try {
    const listener = writeBareListener(home.directory);
    for (let count = 0; count < COUNT; count += 1) {
      bare.push(spawn(process.execPath, [listener, home.directory], { env: home.env, stdio: "pipe" }));
      mirrors.push(startMirror(home, count));
    }
    await Promise.all([...mirrors, ...bare].map(({ stdout }) => once(stdout, "data")));
    await delay(SETTLE_MS);
    const floor = { what: "a bare Node process that listens", samples: bare.map(pssMegabytes) };
    return [{ what: "PSS of a mirror", unit: "MB", samples: mirrors.map(pssMegabytes), floor }];
  } finally {
    await Promise.all([...mirrors, ...bare].map(end));
  }
}

function startMirror(home: ScratchHome, number: number): ChildProcessWithoutNullStreams {
  const child = spawn(ccmExecutable, ["mirror"], { env: home.env, stdio: "pipe" });
  child.stdin.write(`${JSON.stringify({ op: "open", claudeConfig: home.claudeConfig, name: `api-${number}`, record: {} })}\n`);
  return child;
}

async function end(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.stdin.end();
  await ended;
}

function pssMegabytes({ pid }: ChildProcessWithoutNullStreams): number {
  const [, kilobytes] = /^Pss:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? [];
  return Number(kilobytes) / 1_024;
}
