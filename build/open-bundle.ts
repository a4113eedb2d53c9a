import { getRawAsset } from "node:sea";
import { type BundleName, codeCacheAsset, compile, run, sourceAsset } from "./packed-bundle.ts";

/** In the executable: runs a bundle that it carries, with what was compiled for `word`, and returns its exports. */
export function openBundle(name: BundleName, word: string | undefined): object {
  const codeCache = asset(codeCacheAsset(name, word));
  // There is none in an executable that was made on another platform: then everything is compiled at its first use.
  const script = compile(name, asset(sourceAsset(name)).toString("latin1"), codeCache.length > 0 ? codeCache : undefined);
  return run(script, require);
}

/** The asset's bytes where they lie, in memory that must not be written to. */
function asset(name: string): Buffer {
  return Buffer.from(getRawAsset(name));
}
