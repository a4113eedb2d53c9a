import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { BLOCK_BYTES, HASH_BYTES, hashBlocks, planPatch } from "../../../src/ship/blocks.ts";
import { posixCksum } from "../../../src/ship/posix-cksum.ts";

const directory = fs.mkdtempSync(path.join(os.tmpdir(), "ccm-blocks-"));
after(() => fs.rmSync(directory, { recursive: true }));

function file(name: string, ...blocks: (string | number)[]): string {
  const content = blocks.map((block) => (typeof block === "number" ? Buffer.alloc(block, "tail") : Buffer.alloc(BLOCK_BYTES, block)));
  fs.writeFileSync(path.join(directory, name), Buffer.concat(content));
  return path.join(directory, name);
}

test("a plan takes blocks from wherever the old file has them and names those that differ", () => {
  const old = hashBlocks(file("old", "a", "b", "c", 100));
  assert.equal(old.length, 4 * HASH_BYTES);
  const next = file("next", "a", "x", "c", "b", 100);
  assert.deepEqual(planPatch(old, hashBlocks(next), 4 * BLOCK_BYTES + 100), { bytes: 4 * BLOCK_BYTES + 100, blocks: [0, -1, 2, 1, 3] });
  assert.deepEqual(planPatch(old, hashBlocks(file("longer", "a", 101)), 1).blocks, [0, -1]);
  assert.deepEqual(planPatch(Buffer.alloc(0), hashBlocks(next), 1).blocks, [-1, -1, -1, -1, -1]);
});

test("our checksum is that of the cksum command, of a beginning as well", async () => {
  const whole = Buffer.concat([Buffer.alloc(70_000, "some text"), Buffer.from([0, 255, 128])]);
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let offset = 0; offset < whole.length; offset += 1_000) yield whole.subarray(offset, offset + 1_000);
  }
  for (const bytes of [1, 300, 65_536, whole.length]) {
    const [expected] = execFileSync("cksum", { input: whole.subarray(0, bytes), encoding: "utf8" }).split(" ");
    assert.equal(await posixCksum(chunks(), bytes), Number(expected));
  }
  assert.equal(await posixCksum(chunks(), whole.length + 1), undefined);
});
