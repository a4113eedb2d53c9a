import path from "node:path";
import * as esbuild from "esbuild";
import type { Network } from "./network.ts";

/** A program of test/hosts/fixtures as one file that all hosts see; returns its path there. Leaves no service of esbuild behind. */
export async function bundleFixture(network: Network, name: string): Promise<string> {
  const outfile = path.join(network.directory, "lib", `${name}.mjs`);
  try {
    await esbuild.build({
      entryPoints: [path.join(import.meta.dirname, "..", "fixtures", `${name}.ts`)],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node26",
      logLevel: "warning",
    });
  } finally {
    await esbuild.stop();
  }
  return outfile;
}
