import fs from "node:fs";
import path from "node:path";
import type { Bundles } from "./bundle.ts";
import { root } from "./runtime.ts";

/** A package of which something is in the executable. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** The text that its licence asks to pass on. */
  readonly licenceText: string;
}

/** Told from what the bundler took, so that nothing is listed that is not there and nothing is there that is not listed. */
export function bundledPackages({ main, commandLine }: Bundles): BundledPackage[] {
  const directories = [...main.inputs, ...commandLine.inputs].flatMap((input) => {
    const [directory] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? [];
    return directory === undefined ? [] : [directory];
  });
  return [...new Set(directories)].sort().map((directory) => describe(path.join(root, directory)));
}

function describe(directory: string): BundledPackage {
  const manifest = JSON.parse(fs.readFileSync(path.join(directory, "package.json"), "utf8"));
  const licence = manifest.license ?? manifest.licenses?.[0]?.type;
  if (typeof licence !== "string") throw new Error(`${manifest.name} does not say which licence it has`);
  return { name: manifest.name, version: manifest.version, licence, licenceText: licenceText(directory, manifest.name) };
}

function licenceText(directory: string, name: string): string {
  const file = fs.readdirSync(directory).find((entry) => /^(licen[cs]e|copying)(\.\w+)?$/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no file with its licence`);
  return fs.readFileSync(path.join(directory, file), "utf8").trim();
}
