import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { zstdDecompressSync } from "node:zlib";
import { compressedExecutable } from "../../../src/ship/compressed-executable.ts";
import { eventually } from "../../support/eventually.ts";
import { fixtureExecutable } from "./fixture-executable.ts";

test("an archive that gets its final name while it is being opened is read all the same", async (t) => {
  using fixture = fixtureExecutable();
  const { executable, cacheDirectory } = fixture;
  const isDone = () => fs.readdirSync(path.join(cacheDirectory, "ship")).some((name) => name.endsWith(".zstd"));
  const opened: string[] = [];
  const open = fs.promises.open.bind(fs.promises);
  t.mock.method(fs.promises, "open", async (file: string) => {
    opened.push(path.extname(file));
    await eventually(isDone);
    return open(file);
  });
  const archive = compressedExecutable(executable, cacheDirectory, "zstd");
  const bytes = await buffer(archive.chunks(0));
  assert.equal(opened.length, 2, `opened ${opened}`);
  assert.deepEqual(zstdDecompressSync(bytes), fs.readFileSync(executable.file));
});
