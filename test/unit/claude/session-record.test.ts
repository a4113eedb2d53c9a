import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseSessionRecord } from "../../../src/claude/session-record.ts";

test("R2 unknown values and extra fields neither hide a record nor are lost", () => {
  const raw = {
    pid: 7,
    status: "pondering",
    kind: "hovercraft",
    nameSource: "oracle",
    peerFeatures: ["notify_idle", "teleport"],
    peerProtocol: 9,
    asksForConvertedSkills: null,
    nested: { a: [1] },
  };
  const { record } = parseSessionRecord(JSON.stringify(raw));
  assert.equal(record?.status, "pondering");
  assert.equal(record?.kind, "hovercraft");
  assert.deepEqual(record?.peerFeatures, ["notify_idle", "teleport"]);
  assert.deepEqual(record?.raw, raw);
});

test("a known field of another type is absent, the rest stays", () => {
  const { record } = parseSessionRecord(
    '{"pid":7,"name":5,"status":null,"startedAt":"x","peerFeatures":["a",1],"procStart":12,"cwd":"/w"}',
  );
  const { raw: _, ...fields } = record ?? { raw: {} };
  assert.deepEqual(fields, { pid: 7, peerFeatures: ["a"], procStart: "12", cwd: "/w" });
});

test("R1 what is no record says why", () => {
  const reasons = ['{"pid":7,"na', "", "[1]", "null", '"x"', "{}", '{"pid":"7"}'].map((text) => {
    const parsed = parseSessionRecord(text);
    return parsed.record ? "a record" : parsed.detail;
  });
  assert.deepEqual(reasons, [
    "is not complete JSON",
    "is empty",
    "holds an array instead of an object",
    "holds null instead of an object",
    "holds a string instead of an object",
    "has no pid",
    "has no pid",
  ]);
});

test("no text makes the parser throw", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => Boolean(parseSessionRecord(text))));
});
