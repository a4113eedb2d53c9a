import * as z from "zod";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * A schema as JSON Schema 2020-12, of what may be written: what has a default need not be there. A field that counts as absent where
 * something else stands in its place says what is expected, and accepts anything, as its reader does.
 */
export function toJsonSchema(schema: z.ZodType, name: string): JsonSchema {
  return z.toJSONSchema(schema.meta({ ...schema.meta(), title: name }), {
    target: "draft-2020-12",
    io: "input",
    // What JSON cannot say (a check in code) is left out: the program is stricter then, and says so itself.
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === "catch") acceptAnything(jsonSchema);
    },
  });
}

function acceptAnything(jsonSchema: JsonSchema): void {
  const { description, ...expected } = jsonSchema;
  for (const key of Object.keys(expected)) delete jsonSchema[key];
  jsonSchema.anyOf = [expected, {}];
  if (description !== undefined) jsonSchema.description = description;
}
