import fs from "node:fs";
import path from "node:path";
import type { Target } from "./targets.ts";

export const root = path.join(import.meta.dirname, "..");

export interface Runtime {
  readonly file: string;
  readonly version: string;
}

/**
 * The runtime that goes into the target's executable. It must be the very version that runs this build: the prepared blob has
 * no header that would tell another version that it cannot read it, and the executable would crash at its start.
 */
export function findRuntime(target: Target): Runtime {
  const directory = path.join(root, "node_modules", target.runtimePackage);
  const file = path.join(directory, target.runtimeFile);
  if (!fs.existsSync(file))
    throw new Error(`${target.runtimePackage} is not installed: run "npm ci" (it is optional, and only the host's is kept)`);
  const { version } = JSON.parse(fs.readFileSync(path.join(directory, "package.json"), "utf8")) as { version: string };
  if (version !== process.versions.node) {
    throw new Error(`this build runs on Node ${process.versions.node} and would embed ${version}: start it with "npm run build"`);
  }
  return { file: fs.realpathSync(file), version };
}
