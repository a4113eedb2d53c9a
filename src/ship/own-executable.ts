import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { isSea } from "node:sea";
import { pipeline } from "node:stream/promises";
import { buildInfo } from "../core/build-info.ts";
import { CcmError } from "../core/errors.ts";
import { RUNNING_IMAGE } from "../core/self-command.ts";

/** The one file that this program is, as it is sent to other machines. */
export interface OwnExecutable {
  readonly file: string;
  readonly version: string;
  /** Equal ids are the same program. */
  readonly buildId: string;
  /** As Node names it: `linux-x64`, `darwin-arm64`, … */
  readonly platform: string;
  /** The file's SHA-256 in hex; read once. Rejects with `executable_missing` when the file cannot be read. */
  sha256(): Promise<string>;
}

const BUILT_FILE = path.join("dist", "ccm");

/** This program if it is a single executable, else the one that was built from this checkout. Rejects with `executable_missing`. */
export async function ownExecutable(): Promise<OwnExecutable> {
  const platform = `${process.platform}-${process.arch}`;
  // An update may have put another build where we were started from, and that one has another name over there.
  if (isSea()) return executableAt(fs.existsSync(RUNNING_IMAGE) ? RUNNING_IMAGE : process.execPath, { ...buildInfo, platform });
  const file = path.join(import.meta.dirname, "..", "..", BUILT_FILE);
  if (!fs.existsSync(file)) throw missing(file);
  // Source does not know what was built from it and when: the content names the build.
  const { mtimeMs, size } = fs.statSync(file);
  if (built?.key !== `${mtimeMs} ${size}`) built = { key: `${mtimeMs} ${size}`, hash: hashFile(file) };
  const hash = await built.hash;
  return { file, version: buildInfo.version, buildId: hash.slice(0, 16), platform, sha256: async () => hash };
}

/** The last hash of what was built from source: every new connection asks, and reading it takes a third of a second. */
let built: { readonly key: string; readonly hash: Promise<string> } | undefined;

export function executableAt(file: string, what: { version: string; buildId: string; platform: string }): OwnExecutable {
  let hash: Promise<string> | undefined;
  const sha256 = (): Promise<string> => {
    hash ??= hashFile(file);
    return hash;
  };
  return { file, version: what.version, buildId: what.buildId, platform: what.platform, sha256 };
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  try {
    await pipeline(fs.createReadStream(file, { highWaterMark: 1024 * 1024 }), hash);
  } catch (error) {
    throw missing(file, error);
  }
  return hash.digest("hex");
}

function missing(file: string, cause?: unknown): CcmError {
  return new CcmError("executable_missing", `there is no executable to send: ${file}`, {
    hint: "build it with `npm run build`, or install a release",
    cause,
  });
}
