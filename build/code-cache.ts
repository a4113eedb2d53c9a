/**
 * Run by the target's own runtime: `code-cache.ts BUNDLE OUTPUT WORD...` runs the bundled command line with these words and then
 * writes its compiled form, which so holds the functions that a command needs and not only the outermost ones.
 * With no words it checks that this runtime accepts what is in OUTPUT.
 */
import fs from "node:fs";
import { createRequire } from "node:module";
import { compile, run } from "./second-bundle.ts";

const [bundle, output, ...words] = process.argv.slice(2);
if (bundle === undefined || output === undefined) throw new Error("usage: code-cache.ts BUNDLE OUTPUT [WORD...]");
const source = fs.readFileSync(bundle, "latin1");

if (words.length === 0) {
  const { cachedDataRejected } = compile(source, fs.readFileSync(output));
  process.exitCode = cachedDataRejected ? 1 : 0;
} else {
  const script = compile(source);
  // The command may end the process itself, as `--help` does.
  process.once("exit", () => fs.writeFileSync(output, script.createCachedData()));
  await run(script, createRequire(import.meta.url)).runCommandLine(words);
  process.exit(0);
}
