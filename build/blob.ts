import fs from "node:fs";
import path from "node:path";
import { runTool } from "./run-tool.ts";

export interface BlobContents {
  /** The program that the runtime starts, CommonJS. */
  readonly main: string;
  /** Files by their asset name, relative to the directory of the blob or absolute. */
  readonly assets: Readonly<Record<string, string>>;
}

/** For whatever V8 compiles: strings in it are laid out by their hashes, which it seeds by chance. It accepts forms of any other seed. */
export const REPRODUCIBLE = "--random-seed=1";

/**
 * Prepares in `directory` what is injected; returns its file. The compiled form of `main` is made and used only where the target is this
 * platform (`native`): V8 accepts no other machine's.
 */
export function prepareBlob(directory: string, { main, assets }: BlobContents, native: boolean): string {
  const file = path.join(directory, "ccm.blob");
  const start = path.join(directory, "start.js");
  fs.writeFileSync(start, main);
  const configuration = path.join(directory, "sea.json");
  fs.writeFileSync(
    configuration,
    JSON.stringify({
      main: path.basename(start),
      output: path.basename(file),
      disableExperimentalSEAWarning: true,
      useSnapshot: false,
      useCodeCache: native,
      // No NODE_OPTIONS of the person's own projects reaches this program.
      execArgvExtension: "none",
      // The runtime puts argv[0] where its own options could stand: one that begins with "-" would be taken for an option.
      execArgv: ["--"],
      assets,
    }),
  );
  // Relative names: the main file's goes into the blob, and two builds of one source shall be equal wherever they lie.
  runTool(process.execPath, [REPRODUCIBLE, "--experimental-sea-config", path.basename(configuration)], { cwd: directory });
  return file;
}
