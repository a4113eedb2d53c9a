import assert from "node:assert/strict";
import { test } from "node:test";
import { isSameToken } from "../../../src/claude/auth-line.ts";

test("only the token itself is the same token", () => {
  assert.equal(isSameToken("0123abcd", "0123abcd"), true);
  for (const other of ["", "0123abc", "0123abce", "1123abcd", "0123abcd0", "0123abcd0123abcd"])
    assert.equal(isSameToken(other, "0123abcd"), false);
  assert.equal(isSameToken("0123abcd", ""), false);
});
