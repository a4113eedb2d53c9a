/**
 * Run by the target's own runtime: `rehearse.ts BUNDLE CACHE WORD...` runs the bundle of that name in the working directory with these
 * words, and then writes its compiled form into CACHE, with the functions that were called and those that CACHE had before. With no words
 * it checks that this runtime accepts what is in CACHE.
 */
import fs from "node:fs";
import { createRequire } from "node:module";
import { type BundleName, compile, run, sourceAsset } from "./packed-bundle.ts";

const [bundle, cache = "", ...words] = process.argv.slice(2);
const name = bundle as BundleName;
const before = fs.readFileSync(cache);
const script = compile(name, fs.readFileSync(sourceAsset(name), "latin1"), before.length > 0 ? before : undefined);

if (words.length === 0) {
  process.exitCode = script.cachedDataRejected === false ? 0 : 1;
} else {
  process.argv.splice(1, Number.POSITIVE_INFINITY, name, ...words);
  // The program may end the process itself.
  process.once("exit", () => fs.writeFileSync(cache, script.createCachedData()));
  const program: { runCommandLine?(words: readonly string[]): Promise<void> } = run(script, createRequire(import.meta.url));
  if (program.runCommandLine) {
    await program.runCommandLine(words);
    process.exit(0);
  }
}
