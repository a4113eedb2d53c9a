import { Script } from "node:vm";

/** The programs in the executable: what every start loads, and the command line. */
export type BundleName = "main" | "command-line";

/**
 * What of a program is rehearsed while it is built. A compiled form holds the functions that its rehearsal has called, and is read by the
 * starts that are for the same: all of them in one would cost each start and each mirror's memory what the others need.
 */
export const rehearsedUses = {
  main: ["hook", "mirror", "send", "other"],
  "command-line": ["other"],
} as const satisfies Readonly<Record<BundleName, readonly string[]>>;

type CommonJs = (exports: object, require: NodeJS.Require, module: { exports: object }, file: string, directory: string) => void;

export function sourceAsset(name: BundleName): string {
  return `${name}.js`;
}

/** Of the compiled form for what the program's first word says. */
export function codeCacheAsset(name: BundleName, word: string | undefined): string {
  const use = rehearsedUses[name].find((rehearsed) => rehearsed === word) ?? "other";
  return `${name}.${use}.cache`;
}

/**
 * Compiles a bundle. The build and the executable must do it alike, or the code cache that the one made is refused by the other; the
 * line and column count too.
 */
export function compile(name: BundleName, source: string, cachedData?: Buffer): Script {
  return new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: sourceAsset(name),
    ...(cachedData === undefined ? {} : { cachedData }),
  });
}

/** Runs it as a CommonJS module; returns its exports. */
export function run(script: Script, require: NodeJS.Require): object {
  const module = { exports: {} };
  (script.runInThisContext() as CommonJs)(module.exports, require, module, "/ccm", "/");
  return module.exports;
}
