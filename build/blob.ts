import fs from "node:fs";
import path from "node:path";
import { pluginAssets } from "./plugin-assets.ts";
import { runTool } from "./run-tool.ts";
import type { Runtime } from "./runtime.ts";
import { CODE_CACHE_ASSET, SOURCE_ASSET } from "./second-bundle.ts";

/** A command that every path through the command line shares much with, and that writes nothing. */
const WARMING_WORDS = ["status"];

/** No directory of the build: what runs, and so is compiled, depends on how long a path is, as a socket's is limited. */
const NO_HOME = "/nonexistent";

/** Compiled forms are laid out by the hashes of their strings, which V8 seeds by chance; it accepts those of any other seed. */
const REPRODUCIBLE = "--random-seed=1";

/** The two bundles' text as it goes into the executable. */
export interface Programs {
  readonly main: string;
  readonly commandLine: string;
}

export interface Blob {
  readonly file: string;
  readonly codeCacheBytes: number;
}

/**
 * Prepares what is injected: the main bundle, and the second with its compiled form as assets. Compiled forms are made and used
 * only where the target is this platform (`native`): V8 accepts no other machine's.
 */
export function prepareBlob(directory: string, programs: Programs, runtime: Runtime, native: boolean): Blob {
  const file = path.join(directory, "ccm.blob");
  const main = path.join(directory, "main.js");
  const commandLine = path.join(directory, SOURCE_ASSET);
  const codeCache = path.join(directory, CODE_CACHE_ASSET);
  fs.writeFileSync(main, programs.main);
  fs.writeFileSync(commandLine, programs.commandLine);
  fs.writeFileSync(codeCache, "");
  if (native) makeCodeCache(directory, runtime, commandLine, codeCache);
  const configuration = path.join(directory, "sea.json");
  fs.writeFileSync(
    configuration,
    JSON.stringify({
      main: path.basename(main),
      output: path.basename(file),
      disableExperimentalSEAWarning: true,
      useSnapshot: false,
      useCodeCache: native,
      // No NODE_OPTIONS of the person's own projects reaches this program.
      execArgvExtension: "none",
      // The runtime puts argv[0] where its own options could stand: one that begins with "-" would be taken for an option.
      execArgv: ["--"],
      assets: { [SOURCE_ASSET]: path.basename(commandLine), [CODE_CACHE_ASSET]: path.basename(codeCache), ...pluginAssets() },
    }),
  );
  // Relative names: the main file's goes into the blob, and two builds of one source shall be equal wherever they lie.
  runTool(process.execPath, [REPRODUCIBLE, "--experimental-sea-config", path.basename(configuration)], { cwd: directory });
  return { file, codeCacheBytes: fs.statSync(codeCache).size };
}

function makeCodeCache(directory: string, runtime: Runtime, commandLine: string, codeCache: string): void {
  const script = path.join(import.meta.dirname, "code-cache.ts");
  const env = { HOME: NO_HOME, XDG_RUNTIME_DIR: NO_HOME, TMPDIR: NO_HOME, PATH: "" };
  const files = [commandLine, codeCache].map((file) => path.basename(file));
  const options = { env, cwd: directory };
  runTool(runtime.file, [REPRODUCIBLE, script, ...files, ...WARMING_WORDS], options);
  runTool(runtime.file, [script, ...files], options);
}
