import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { currentPidDomain, isAlive, isSamePidDomain, parseProcessStat, readProcStart } from "../../../src/claude/process-identity.ts";
import { eventually } from "../../support/eventually.ts";
import { openSandbox, startProcess } from "./sandbox.ts";

const linuxOnly = { skip: process.platform !== "linux" && "reads /proc" };

test("a process keeps its start, and two do not share it", (t) => {
  assert.equal(readProcStart(process.pid), readProcStart(process.pid));
  const other = startProcess(t);
  assert.equal(readProcStart(other.pid), other.procStart);
});

test("a process that has ended is not alive and has no start", async (t) => {
  const ended = startProcess(t);
  assert.equal(isAlive(ended.pid), true);
  await ended.kill();
  assert.equal(isAlive(ended.pid), false);
  assert.equal(readProcStart(ended.pid), undefined);
});

test("what is no process id is nobody", () => {
  for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 40]) assert.equal(isAlive(pid), false);
});

test("a program's name with spaces and parentheses does not shift the fields", linuxOnly, (t) => {
  const file = path.join(openSandbox(t).root, "a) R (b c");
  fs.copyFileSync("/bin/sleep", file);
  const { pid, procStart } = startProcess(t, file, ["600"]);
  assert.match(procStart, /^\d+$/);
  const fields = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ");
  assert.equal(procStart, fields?.[19]);
  assert.equal(parseProcessStat("7 (x) S 1) S 1 7 7 0 -1 4 1 0 0 0 0 0 0 0 20 0 1 0 4711 8 1")?.startTicks, "4711");
});

test("a zombie has ended, though nobody has reaped it", linuxOnly, async (t) => {
  const parent = spawn("sh", ["-c", "sleep 0.2 & echo $!; exec sleep 600"], { stdio: ["ignore", "pipe", "ignore"] });
  t.after(async () => {
    parent.kill("SIGKILL");
    await once(parent, "exit");
  });
  const [chunk] = await once(parent.stdout, "data");
  const pid = Number(String(chunk));
  const isZombie = () => fs.readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  await eventually(isZombie);
  assert.equal(isAlive(pid), false);
});

test("R11 without a machine id the namespace alone decides, and nobody is hidden", () => {
  const here = "linux:0123:pid:[4026531836]";
  assert.equal(isSamePidDomain("linux::pid:[4026531836]", here), true);
  assert.equal(isSamePidDomain(here, "linux::pid:[4026531836]"), true);
  assert.equal(isSamePidDomain("linux::pid:[1]", here), false);
  assert.equal(isSamePidDomain("linux:4567:pid:[4026531836]", here), false);
  assert.equal(isSamePidDomain("darwin", here), false);
  assert.equal(isSamePidDomain("darwin", "darwin"), true);
});

test("the domain of this process is spelt as Claude Code spells it", linuxOnly, () => {
  assert.match(currentPidDomain(), /^linux:[0-9a-f]*:pid:\[\d+\]$/);
});
