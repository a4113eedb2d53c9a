import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { toJsonSchema } from "../../../src/claude/schema/json-schema.ts";
import { allSchemas } from "../../../src/cli/schema/all-schemas.ts";
import { ChatHome } from "./fixtures/chat-home.ts";

for (const [name, schema] of Object.entries(allSchemas)) {
  test(`${name} can be said in JSON Schema 2020-12, with what it is`, () => {
    const json = toJsonSchema(schema, name);
    assert.deepEqual([json.$schema, json.title], ["https://json-schema.org/draft/2020-12/schema", name]);
    assert.ok(json.description);
  });
}

test("what we write for `ccm peer` may hold only known fields, so that a slip of the pen is told; what we read may hold others", () => {
  const closed = (name: string) => JSON.stringify(toJsonSchema(allSchemas[name] as never, name)).includes('"additionalProperties":false');
  assert.deepEqual([closed("peer-input"), closed("peer-output"), closed("user-frame")], [true, false, false]);
});

test("ccm schema lists every schema, prints one as JSON, and knows what a slip meant", async (t) => {
  const home = new ChatHome(t);
  const list = await home.ccm(["schema"]);
  assert.deepEqual(
    list.stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(" ")[0]),
    Object.keys(allSchemas),
  );
  const { exitCode, stdout } = await home.ccm(["schema", "user-frame"]);
  assert.deepEqual([exitCode, JSON.parse(stdout).properties.type], [0, { type: "string", const: "user" }]);
  const slip = await home.ccm(["schema", "user-frme"]);
  assert.deepEqual([slip.exitCode, slip.stderr], [2, 'ccm: there is no schema "user-frme"\n    did you mean: ccm schema user-frame\n']);
});
