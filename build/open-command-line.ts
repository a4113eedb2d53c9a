import { getRawAsset } from "node:sea";
import { CODE_CACHE_ASSET, type CommandLine, compile, run, SOURCE_ASSET } from "./second-bundle.ts";

/** In the executable this stands for `src/cli/command-line.ts`: it compiles the second bundle and hands on to it. */
export const runCommandLine: CommandLine["runCommandLine"] = (words) => {
  const script = compile(asset(SOURCE_ASSET).toString("latin1"), codeCache());
  return run(script, require).runCommandLine(words);
};

/** None in an executable that was made on another platform: then everything is compiled at its first use. */
function codeCache(): Buffer | undefined {
  const data = asset(CODE_CACHE_ASSET);
  return data.length > 0 ? data : undefined;
}

/** The asset's bytes where they lie, in memory that must not be written to. */
function asset(name: string): Buffer {
  return Buffer.from(getRawAsset(name));
}
