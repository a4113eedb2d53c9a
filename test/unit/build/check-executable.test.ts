import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { checkExecutable } from "../../../build/check-executable.ts";
import { findTarget } from "../../../build/targets.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { smallMachO } from "./small-mach-o.ts";

test("F5 a runtime into which nothing was injected is no executable of ours", { skip: process.platform !== "linux" }, () => {
  const problems = checkExecutable(process.execPath, findTarget(undefined));
  assert.deepEqual(problems, ["it has no NODE_SEA_BLOB", "its runtime does not know that something was injected"]);
});

test("F5 another architecture and another format are told apart", { skip: process.platform !== "linux" }, () => {
  const other = process.arch === "x64" ? "arm64" : "x64";
  assert.match(
    checkExecutable(process.execPath, findTarget(`linux-${other}`))[0] ?? "",
    new RegExp(`it is for ${process.arch}, not ${other}`),
  );
  assert.deepEqual(checkExecutable(process.execPath, findTarget("darwin-x64")), ["it is ELF, not Mach-O"]);
});

test("F5 what is no executable at all, and a Mac's without a signature, are refused", (t) => {
  const file = path.join(temporaryDirectory(t), "ccm");
  fs.writeFileSync(file, "#!/bin/sh\n");
  assert.deepEqual(checkExecutable(file, findTarget("linux-x64")), ["it is unknown, not ELF"]);
  fs.writeFileSync(file, smallMachO());
  assert.ok(checkExecutable(file, findTarget("darwin-arm64")).includes("signature: it has no signature"));
});
