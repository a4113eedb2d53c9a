/**
 * `import "../support/no-leftovers.ts";` at the top of a test file makes that file fail when its tests leave something behind:
 * a process (also one that detached itself, found by a mark in its environment on Linux), a listening socket, or a file in the
 * temporary directory. The file gets a `TMPDIR` of its own for that, short enough for socket paths.
 */
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { eventually } from "./eventually.ts";
import { childrenOf, processesMarked } from "./process-list.ts";

/** What is on its way out gets this long to go. */
const SETTLE_MS = 2_000;
/** A `listen` that a test called last shows only after a turn or two of the event loop. */
const SHOW_MS = 50;
/** A socket that was left would keep the file from ending: after this long it is ended. */
const EXIT_MS = 500;
const mark = `CCM_TEST_MARK=${randomBytes(8).toString("hex")}`;
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "ccm-"));

process.env["CCM_TEST_MARK"] = mark.slice(mark.indexOf("=") + 1);
process.env["TMPDIR"] = temporary;

after(async () => {
  await delay(SHOW_MS);
  try {
    await eventually(() => leftovers().length === 0, { deadlineMs: SETTLE_MS, everyMs: 20 });
  } catch {
    const failure = new Error(report());
    setTimeout(() => process.exit(1), EXIT_MS).unref();
    throw failure;
  } finally {
    cleanUp();
  }
});

function report(): string {
  return `left behind by ${path.relative(process.cwd(), process.argv[1] ?? "")}:\n  ${leftovers().join("\n  ")}`;
}

function leftovers(): string[] {
  return [
    ...leftoverProcesses().map(({ pid, command }) => `process ${pid}: ${command}`),
    ...process
      .getActiveResourcesInfo()
      .filter((type) => type === "TCPServerWrap" || type === "PipeServerWrap")
      .map((type) => `listening socket: ${type}`),
    ...fs.readdirSync(temporary).map((name) => `temporary file: ${path.join(temporary, name)}`),
  ];
}

function leftoverProcesses() {
  const found = [...childrenOf(process.pid), ...processesMarked(mark)];
  return [...new Map(found.map((one) => [one.pid, one])).values()].filter(({ pid }) => pid !== process.pid);
}

function cleanUp(): void {
  for (const { pid } of leftoverProcesses()) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Gone in the meantime, which is what we want.
    }
  }
  fs.rmSync(temporary, { recursive: true, force: true });
}
