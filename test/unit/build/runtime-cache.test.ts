import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { verify } from "../../../build/runtime-cache.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

test("a package is taken only if it is the pinned one, byte for byte", (t) => {
  const archive = path.join(temporaryDirectory(t), "runtime.tgz");
  fs.writeFileSync(archive, "abc");
  const integrity = "sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==";
  verify("runtime@1", archive, integrity);
  fs.appendFileSync(archive, "d");
  assert.throws(() => verify("runtime@1", archive, integrity), /runtime@1 is not what package-lock.json pins/);
});
