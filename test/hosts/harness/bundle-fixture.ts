import path from "node:path";
import { buildSync } from "esbuild";
import type { Network } from "./network.ts";

/** A program of test/hosts/fixtures as one file that all hosts see; returns its path there. Leaves no service of esbuild behind. */
export function bundleFixture(network: Network, name: string): string {
  const outfile = path.join(network.directory, "lib", `${name}.mjs`);
  buildSync({
    entryPoints: [path.join(import.meta.dirname, "..", "fixtures", `${name}.ts`)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node26",
    logLevel: "warning",
  });
  return outfile;
}
