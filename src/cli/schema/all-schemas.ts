import type * as z from "zod";
import { schemas } from "../../claude/schema/schemas.ts";
import { configFile } from "../../daemon/config.ts";
import { helloSchema, linkOpSchema } from "../../link/protocol.ts";
import { peerInput } from "../../peer/schema/input.ts";
import { peerOutput } from "../../peer/schema/output.ts";

/** Every schema that `ccm schema` shows, by name: Claude Code's own first, then ours. */
export const allSchemas: Readonly<Record<string, z.ZodType>> = {
  ...schemas,
  "peer-input": peerInput,
  "peer-output": peerOutput,
  config: configFile.describe("config.json of ccm"),
  "link-hello": helloSchema.describe("The first line of each side of a link between two machines"),
  "link-op": linkOpSchema.describe("Every further line of a link"),
};
