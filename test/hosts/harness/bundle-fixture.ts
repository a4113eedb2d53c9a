import path from "node:path";
import * as esbuild from "esbuild";
import { noAddOns } from "../../../build/bundle-plugins.ts";
import type { Network } from "./network.ts";

/** A program of test/hosts/fixtures as one file that all hosts see; returns its path there. */
export function bundleFixture(network: Network, name: string): Promise<string> {
  return bundleProgram(network, path.join(import.meta.dirname, "..", "fixtures", `${name}.ts`));
}

/** A TypeScript program as one file that all hosts see; returns its path there. Leaves no service of esbuild behind. */
export async function bundleProgram(network: Network, source: string): Promise<string> {
  const outfile = path.join(network.directory, "lib", `${path.basename(source, ".ts")}.mjs`);
  try {
    await esbuild.build({
      entryPoints: [source],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node26",
      logLevel: "warning",
      // What ssh2 needs: no native add-ons, and a `require` for the parts of Node that it loads.
      plugins: [noAddOns],
      banner: {
        js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url); const __dirname = import.meta.dirname;',
      },
    });
  } finally {
    await esbuild.stop();
  }
  return outfile;
}
