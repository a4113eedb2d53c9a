import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { allChecks } from "../../../src/selftest/checks/all-checks.ts";
import { peerChecks } from "../../claude/conformance/peer-checks.ts";
import { policyChecks } from "../../claude/conformance/policy-checks.ts";

const page = fs.readFileSync(path.join(import.meta.dirname, "../../../src/claude/PROTOCOL.md"), "utf8");
/** A test of its own, because it takes a minute: test/claude/expiry.test.ts. */
const ELSEWHERE = ["hold.expired"];

test("the protocol page has a row for each check, and for nothing that is not checked", () => {
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) => [...(row.split(" | ")[0] ?? "").matchAll(/`([a-z]+\.[a-z-]+)`/g)].map(([, name]) => name));
  const checked = [...allChecks, ...policyChecks, ...peerChecks].map(({ name }) => name);
  assert.deepEqual([...new Set(named)].sort(), [...checked, ...ELSEWHERE].sort());
});

test("what only the suite checks is marked so", () => {
  for (const { name } of allChecks) assert.ok(!page.includes(`\`${name}\` †`), name);
  for (const name of [...policyChecks.map((check) => check.name), ...peerChecks.map((check) => check.name), ...ELSEWHERE]) {
    assert.ok(page.includes(`\`${name}\` †`), name);
  }
});
