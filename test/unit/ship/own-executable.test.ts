import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { executableAt, ownExecutable } from "../../../src/ship/own-executable.ts";

const what = { version: "1.2.3", buildId: "abc", platform: "linux-x64" };

test("an executable's hash is that of its bytes", async () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "ccm-own-"));
  try {
    const file = path.join(directory, "ccm");
    fs.writeFileSync(file, "content");
    assert.equal(await executableAt(file, what).sha256(), createHash("sha256").update("content").digest("hex"));
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
});

test("one that is gone is named, and how to get it", async () => {
  const executable = executableAt("/no/such/ccm", what);
  await assert.rejects(executable.sha256(), { code: "executable_missing", message: /\/no\/such\/ccm/, hint: /npm run build/ });
});

test("from source it is what was built from this checkout, named by its content, or it is missing", async () => {
  const file = path.join(import.meta.dirname, "..", "..", "..", "dist", "ccm");
  if (!fs.existsSync(file)) return assert.rejects(ownExecutable(), { code: "executable_missing" });
  const own = await ownExecutable();
  assert.deepEqual([own.file, own.platform], [file, `${process.platform}-${process.arch}`]);
  assert.ok((await own.sha256()).startsWith(own.buildId));
});
