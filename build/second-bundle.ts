import { Script } from "node:vm";

export interface CommandLine {
  runCommandLine(words: readonly string[]): Promise<void>;
}

type CommonJs = (exports: object, require: NodeJS.Require, module: { exports: object }, file: string, directory: string) => void;

/** The asset names of the second bundle and of its compiled form. */
export const SOURCE_ASSET = "command-line.js";
export const CODE_CACHE_ASSET = "command-line.cache";

/**
 * Compiles the second bundle. The build and the executable must do it alike, or the code cache that the one made is refused
 * by the other; the line and column count too.
 */
export function compile(source: string, cachedData?: Buffer): Script {
  return new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: SOURCE_ASSET,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
}

export function run(script: Script, require: NodeJS.Require): CommandLine {
  const module = { exports: {} };
  (script.runInThisContext() as CommonJs)(module.exports, require, module, "/ccm", "/");
  return module.exports as CommandLine;
}
