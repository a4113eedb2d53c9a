import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { sha256 } from "../../../src/core/sha256.ts";

const reference = (text: string) => createHash("sha256").update(text).digest("hex");

test("sha256 is that of node:crypto at every length around a block's end", () => {
  for (let length = 0; length < 200; length += 1) assert.equal(sha256("/".repeat(length)), reference("/".repeat(length)));
});

test("sha256 is that of node:crypto for any text", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => sha256(text) === reference(text)));
});
