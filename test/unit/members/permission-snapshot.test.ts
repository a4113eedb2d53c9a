import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { declaredClass, permissionClass, writePermissionSnapshot } from "../../../src/members/permission-snapshot.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const binding = { pid: 7, procStart: "100", pidDomain: "linux:m:pid:[1]" };
const record = { ...binding, sessionId: "s1", raw: {} };

test("only modes whose class is certain are declared", () => {
  assert.equal(permissionClass("bypassPermissions"), "bypass");
  for (const mode of ["default", "acceptEdits", "auto", "dontAsk"]) assert.equal(permissionClass(mode), "prompting");
  for (const mode of ["plan", "somethingNew", "", "constructor"]) assert.equal(permissionClass(mode), undefined);
});

test("a snapshot counts for its own session and process alone", (context) => {
  const directory = temporaryDirectory(context);
  assert.equal(declaredClass(directory, record), undefined);
  writePermissionSnapshot(directory, { ...binding, sessionId: "s1", permissionMode: "bypassPermissions" });
  assert.equal(declaredClass(directory, record), "bypass");
  for (const other of [{ pid: 8 }, { procStart: "101" }, { pidDomain: "linux:m:pid:[2]" }, { sessionId: "s2" }]) {
    assert.equal(declaredClass(directory, { ...record, ...other }), undefined, JSON.stringify(other));
  }
  writePermissionSnapshot(directory, { ...binding, sessionId: "s1", permissionMode: "plan" });
  assert.equal(declaredClass(directory, record), undefined, "plan mode takes the declaration back");
});
