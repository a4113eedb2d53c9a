import fs from "node:fs";
import path from "node:path";

/** What `npm run release` made. */
export const releaseDirectory = path.join(import.meta.dirname, "..", "..", "dist", "release");

/** For the `skip` of a test: the reason not to run it, or false. */
export const noRelease = fs.existsSync(releaseDirectory) ? false : 'dist/release is not there: "npm run release -- --build"';

export interface PublishedArtefact {
  readonly target: string;
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly executable: { readonly bytes: number; readonly sha256: string };
}

export interface PublishedManifest {
  readonly version: string;
  readonly commit: string;
  readonly date: string;
  readonly runtime: { readonly name: string; readonly version: string };
  readonly artefacts: readonly PublishedArtefact[];
}

export function readManifest(directory = releaseDirectory): PublishedManifest {
  return JSON.parse(fs.readFileSync(path.join(directory, "manifest.json"), "utf8"));
}
