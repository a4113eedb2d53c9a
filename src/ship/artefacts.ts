import fs from "node:fs";
import path from "node:path";
import { CcmError } from "../core/errors.ts";
import { executableAt, type OwnExecutable } from "./own-executable.ts";

export interface ArtefactOptions {
  readonly own: OwnExecutable;
  /** `paths.cache`. */
  readonly cacheDirectory: string;
}

/** Where executables for other platforms are looked for: what a release has, put there by a person or by a build. */
export function artefactDirectories({ own, cacheDirectory }: ArtefactOptions): string[] {
  return [artefactsDirectory(cacheDirectory), path.dirname(own.file)];
}

/** Where a person puts them, and where those that were fetched are kept. */
export function artefactsDirectory(cacheDirectory: string): string {
  return path.join(cacheDirectory, "artefacts");
}

/**
 * The executable for another platform, `ccm-<platform>` or `ccm-<version>-<platform>` with its checksum beside it as `….sha256`; undefined
 * where there is none. Rejects with `executable_missing` for one that is not what its name or its checksum says.
 */
export async function findArtefact(platform: string, options: ArtefactOptions): Promise<OwnExecutable | undefined> {
  const { version } = options.own;
  const names = [`ccm-${version}-${platform}`, `ccm-${platform}`];
  const files = artefactDirectories(options).flatMap((directory) => names.map((name) => path.join(directory, name)));
  const file = files.find((one) => fs.existsSync(one) && fs.existsSync(`${one}.sha256`));
  if (file === undefined) return undefined;
  const expected = fs.readFileSync(`${file}.sha256`, "utf8").trim().split(/\s/)[0]?.toLowerCase();
  const sha256 = await executableAt(file, { version, buildId: "", platform }).sha256();
  if (sha256 !== expected) throw unusable(file, "does not have the SHA-256 that stands beside it");
  const actual = binaryPlatform(file);
  if (actual !== platform) throw unusable(file, `is ${actual === undefined ? "no executable that ccm knows" : `for ${actual}`}`);
  // It cannot be asked for its build id: the content names it.
  return executableAt(file, { version, buildId: sha256.slice(0, 16), platform });
}

const elfMachines: Readonly<Record<number, string>> = { 62: "x64", 183: "arm64" };
const machCpus: Readonly<Record<number, string>> = { 16777223: "x64", 16777228: "arm64" };

/** What the header of an ELF or Mach-O file says that it runs on, as Node names it. */
export function binaryPlatform(file: string): string | undefined {
  const header = Buffer.alloc(20);
  const descriptor = fs.openSync(file, "r");
  try {
    fs.readSync(descriptor, header);
  } finally {
    fs.closeSync(descriptor);
  }
  const machine = elfMachines[header.readUInt16LE(18)];
  if (header.readUInt32BE(0) === 0x7f45_4c46 && machine !== undefined) return `linux-${machine}`;
  const cpu = machCpus[header.readUInt32LE(4)];
  return header.readUInt32LE(0) === 0xfeed_facf && cpu !== undefined ? `darwin-${cpu}` : undefined;
}

function unusable(file: string, what: string): CcmError {
  return new CcmError("executable_missing", `${file} ${what}`, { hint: "fetch it and its .sha256 again from the release" });
}
