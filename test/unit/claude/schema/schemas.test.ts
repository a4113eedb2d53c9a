import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type * as z from "zod";
import { toJsonSchema } from "../../../../src/claude/schema/json-schema.ts";
import { type SchemaName, schemas } from "../../../../src/claude/schema/schemas.ts";

/** As Claude Code wrote them; only names, tokens and machine ids are made up. */
const fixtures = path.join(import.meta.dirname, "fixtures");
const versions = ["2.1.282", "2.1.332"];

function captured(kind: string, version: string): Record<string, unknown>[] {
  const lines = fs.readFileSync(path.join(fixtures, `${kind}-${version}.jsonl`), "utf8").trimEnd();
  return lines.split("\n").map((line) => JSON.parse(line));
}

function schemaOf(frame: Record<string, unknown>): SchemaName {
  const name = frame["type"] === "control" ? String(frame["action"]).replaceAll("_", "-") : `${frame["type"]}-frame`;
  assert.ok(name in schemas, name);
  return name as SchemaName;
}

for (const version of versions) {
  test(`every frame that Claude Code ${version} was seen to write validates, and comes out as it went in`, () => {
    const kinds = captured("frames", version).map((frame) => {
      const name = schemaOf(frame);
      assert.deepEqual(schemas[name].parse(frame), frame);
      assert.deepEqual(schemas.frame.parse(frame), frame);
      const dropped = frame["dropped_msg_ids"];
      const detail = frame["drop_reason"] ?? frame["status_detail"] ?? "";
      return `${name} ${frame["status"] ?? frame["state"] ?? ""} ${detail}${Array.isArray(dropped) && dropped.length > 0 ? ", several" : ""}`.trim();
    });
    assert.deepEqual(kinds.sort(), [
      "artifact-replies-yielded",
      "notify-when-idle",
      "peer-idle-notice idle",
      "peer-message-status delivered",
      "peer-message-status denied",
      "peer-message-status dropped duplicate",
      "peer-message-status dropped duplicate, several",
      "peer-message-status dropped hop-runaway",
      "peer-message-status dropped rate-limited",
      "peer-message-status expired",
      "peer-message-status expired refused",
      "peer-message-status held",
      "user-frame",
    ]);
  });

  test(`the records and keys of Claude Code ${version} validate, and come out as they went in`, () => {
    for (const record of captured("records", version)) assert.deepEqual(schemas["session-record"].parse(record), record);
    for (const key of captured("keys", version)) assert.deepEqual(schemas["key-file"].parse(key), key);
  });
}

test("what a newer version adds is kept, and a field of another type counts as absent", () => {
  const receipt = { type: "control", action: "peer_message_status", orig_msg_id: "1", status: "pondered", drop_reason: 7, mood: ["odd"] };
  assert.deepEqual(schemas["peer-message-status"].parse(receipt), { ...receipt, drop_reason: undefined });
  const record = { pid: 7, status: "pondering", kind: "hovercraft", nameSource: "oracle", peerFeatures: ["teleport"], cwd: null };
  assert.deepEqual(schemas["session-record"].parse(record), { ...record, cwd: undefined });
});

const refused: readonly (readonly [SchemaName, unknown])[] = [
  ["auth-line", { type: "auth" }],
  ["user-frame", { type: "user", message: "x" }],
  ["user-frame", { type: "user", message: { role: "user", content: ["x"] } }],
  ["peer-message-status", { type: "control", action: "peer_message_status", status: "held" }],
  ["peer-idle-notice", { type: "control", action: "peer_idle_notice", orig_msg_id: "1" }],
  ["session-record", { pid: "7" }],
  ["key-file", { peerToken: "" }],
  ["frame", [1]],
];
for (const [name, value] of refused) {
  test(`${name} refuses ${JSON.stringify(value)}`, () => {
    assert.equal((schemas[name] as z.ZodType).safeParse(value).success, false);
  });
}

for (const [name, schema] of Object.entries(schemas)) {
  test(`${name} has a JSON Schema that closes no object and requires only what its reader needs`, () => {
    const json = toJsonSchema(schema, name);
    assert.equal(json.$schema, "https://json-schema.org/draft/2020-12/schema");
    assert.equal(json.title, name);
    assert.ok(json.description);
    assert.doesNotMatch(JSON.stringify(json), /"additionalProperties":false/);
  });
}

test("a JSON Schema says what a lenient field should hold and accepts anything there", () => {
  const { properties, required } = toJsonSchema(schemas["session-record"], "session-record");
  assert.deepEqual(required, ["pid"]);
  assert.deepEqual(properties?.["cwd"], { anyOf: [{ type: "string" }, {}] });
});
