import fs from "node:fs";
import path from "node:path";
import { cachedRuntime, fetchRuntime } from "./runtime-cache.ts";
import type { Target } from "./targets.ts";

export const root = path.join(import.meta.dirname, "..");

export interface Runtime {
  readonly file: string;
  readonly version: string;
  /** Node's own licence and those of what is in it. */
  readonly licenceFile: string;
}

/**
 * The runtime that goes into the target's executable: what npm installed for this machine, else what was or is now fetched into
 * the build cache. It must be the very version that runs this build: the prepared blob has no header that would tell another
 * version that it cannot read it, and the executable would crash at its start.
 */
export async function provideRuntime(target: Target): Promise<Runtime> {
  const pinned = pinnedRuntime(target);
  if (pinned.version !== process.versions.node) {
    throw new Error(`this build runs on Node ${process.versions.node} and would embed ${pinned.version}: start it with "npm run build"`);
  }
  const directory = installedRuntime(target, pinned.version) ?? cachedRuntime(pinned) ?? (await fetchRuntime(pinned));
  return {
    file: fs.realpathSync(path.join(directory, target.runtimeFile)),
    version: pinned.version,
    licenceFile: path.join(directory, "LICENSE"),
  };
}

export interface PinnedRuntime {
  readonly target: Target;
  readonly version: string;
  /** Of the package's archive, as npm writes it: `sha512-` and base64. */
  readonly integrity: string;
}

/** What package-lock.json says of the target's runtime. */
export function pinnedRuntime(target: Target): PinnedRuntime {
  const lock = JSON.parse(fs.readFileSync(path.join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { version?: string; integrity?: string }>;
  };
  const { version, integrity } = lock.packages[`node_modules/${target.runtimePackage}`] ?? {};
  if (version === undefined || integrity === undefined) throw new Error(`package-lock.json does not pin ${target.runtimePackage}`);
  return { target, version, integrity };
}

function installedRuntime(target: Target, version: string): string | undefined {
  const directory = path.join(root, "node_modules", target.runtimePackage);
  if (!fs.existsSync(path.join(directory, target.runtimeFile))) return undefined;
  const installed = JSON.parse(fs.readFileSync(path.join(directory, "package.json"), "utf8")) as { version: string };
  return installed.version === version ? directory : undefined;
}
