import assert from "node:assert/strict";
import { test } from "node:test";
import { randomHex, randomUuid } from "../../../src/core/random.ts";

test("randomHex has two digits for each byte and does not repeat itself", () => {
  assert.match(randomHex(16), /^[0-9a-f]{32}$/);
  assert.equal(new Set(Array.from({ length: 100 }, () => randomHex(8))).size, 100);
});

test("randomUuid is a version 4 UUID, each another", () => {
  const made = Array.from({ length: 100 }, randomUuid);
  for (const uuid of made) assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(new Set(made).size, made.length);
});
