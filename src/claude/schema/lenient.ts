import * as z from "zod";

/** Also what nobody has heard of yet: the reader takes the known words for what they mean and any other for itself. */
export function openEnum<const Words extends readonly [string, ...string[]]>(words: Words): z.ZodType<Words[number] | (string & {})> {
  return z.union([z.enum(words), z.string()]);
}

/** A field that counts as absent where something else stands in its place, instead of spoiling the whole. */
export function lenient<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}
