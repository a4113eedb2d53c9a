import assert from "node:assert/strict";
import { createHash } from "node:crypto";
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

  test("other words are a usage error and touch nothing", () => {
    for (const args of [[], [sha256], ["x", "ccm-1-a"], [sha256, "../ccm-1-a"], [sha256, "sh"], [sha256, "ccm-1-a", "x"]]) {
      assert.throws(() => settle(args, arrived), { code: "usage" });
    }
    assert.deepEqual(fs.readdirSync(directory), [".incoming-1"]);
  });
});
