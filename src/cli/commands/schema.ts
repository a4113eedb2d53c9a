import type { CommandModule } from "yargs";
import { CcmError } from "../../core/errors.ts";
import { print, terminalWidth } from "../output/print.ts";
import { renderTable } from "../output/table.ts";
import { nearestWord } from "../suggestion.ts";

interface Arguments {
  readonly name: string | undefined;
}

export const schema: CommandModule<object, Arguments> = {
  command: "schema [name]",
  describe: "Print the JSON Schema (2020-12) of a frame or file; without a name, list what there is",
  builder: (yargs) =>
    yargs
      .positional("name", { type: "string", describe: "As the list calls it" })
      .example("ccm schema", "")
      .example("ccm schema user-frame", ""),
  async handler({ name }) {
    const [{ allSchemas }, { toJsonSchema }] = await Promise.all([
      import("../schema/all-schemas.ts"),
      import("../../claude/schema/json-schema.ts"),
    ]);
    if (name === undefined) {
      const rows = Object.entries(allSchemas).map(([known, { description = "" }]) => [known, description]);
      return print(renderTable(rows, { width: terminalWidth() }));
    }
    const found = Object.hasOwn(allSchemas, name) ? allSchemas[name] : undefined;
    if (!found) throw unknownSchema(name, Object.keys(allSchemas));
    print(JSON.stringify(toJsonSchema(found, name), undefined, 2));
  },
};

function unknownSchema(name: string, known: readonly string[]): CcmError {
  const meant = nearestWord(name, known);
  return new CcmError("usage", `there is no schema "${name}"`, {
    hint: meant === undefined ? "ccm schema lists them" : `did you mean: ccm schema ${meant}`,
  });
}
