import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, suite, test } from "node:test";
import { settle } from "../../../src/ship/settle.ts";

suite("settle", () => {
  let directory: string;
  let arrived: string;
  const content = Buffer.alloc(3 * 1024 * 1024 + 1, "content");
  const sha256 = createHash("sha256").update(content).digest("hex");

  beforeEach(() => {
    directory = fs.mkdtempSync(path.join(os.tmpdir(), "ccm-settle-"));
    arrived = path.join(directory, ".incoming-1");
    fs.writeFileSync(arrived, content, { mode: 0o755 });
  });
  afterEach(() => fs.rmSync(directory, { recursive: true }));

  test("takes the final name, private and executable, over an older file of that name", () => {
    fs.writeFileSync(path.join(directory, "ccm-1-a"), "old");
    settle([sha256, "ccm-1-a"], arrived);
    assert.deepEqual(fs.readdirSync(directory), ["ccm-1-a"]);
    const stat = fs.statSync(path.join(directory, "ccm-1-a"));
    assert.deepEqual([stat.mode & 0o777, stat.size], [0o700, content.length]);
  });

  test("removes itself when a byte differs, and leaves what has the final name alone", () => {
    fs.writeFileSync(path.join(directory, "ccm-1-a"), "old");
    fs.appendFileSync(arrived, "x");
    assert.throws(() => settle([sha256, "ccm-1-a"], arrived), { code: "push_failed", message: /damaged.*SHA-256/ });
    assert.deepEqual(fs.readdirSync(directory), ["ccm-1-a"]);
    assert.equal(fs.readFileSync(path.join(directory, "ccm-1-a"), "utf8"), "old");
  });

  test("removes itself when the name is taken by a directory", () => {
    fs.mkdirSync(path.join(directory, "ccm-1-a"));
    assert.throws(() => settle([sha256, "ccm-1-a"], arrived), { code: "push_failed", message: /cannot take its place/ });
    assert.deepEqual(fs.readdirSync(directory), ["ccm-1-a"]);
  });

  test("sweeps older versions that nobody runs, but for the two used last and what is an hour young", async () => {
    const hoursAgo = (hours: number): number => Date.now() / 1000 - hours * 3600;
    const program = process.platform === "linux" ? "/bin/sleep" : process.execPath;
    const ages = { "ccm-1-run": 90, "ccm-1-old": 80, "ccm-1-last": 3, "ccm-1-next": 4, "ccm-1-young": 0.5 };
    for (const name of Object.keys(ages)) fs.copyFileSync(program, path.join(directory, name));
    const words = process.platform === "linux" ? ["60"] : ["-e", "setTimeout(() => {}, 60000)"];
    const runs = spawn(path.join(directory, "ccm-1-run"), words);
    await once(runs, "spawn");
    for (const [name, hours] of Object.entries(ages)) fs.utimesSync(path.join(directory, name), hoursAgo(hours), hoursAgo(99));
    fs.writeFileSync(path.join(directory, "notes"), "");
    settle([sha256, "ccm-1-a"], arrived);
    const left = fs.readdirSync(directory).sort();
    runs.kill();
    await once(runs, "exit");
    assert.deepEqual(left, ["ccm-1-a", "ccm-1-last", "ccm-1-run", "ccm-1-young", "notes"]);
  });

  test("other words are a usage error and touch nothing", () => {
    for (const args of [[], [sha256], ["x", "ccm-1-a"], [sha256, "../ccm-1-a"], [sha256, "sh"], [sha256, "ccm-1-a", "x"]]) {
      assert.throws(() => settle(args, arrived), { code: "usage" });
    }
    assert.deepEqual(fs.readdirSync(directory), [".incoming-1"]);
  });
});
