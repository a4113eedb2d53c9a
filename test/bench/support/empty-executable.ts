import fs from "node:fs";
import path from "node:path";
import { prepareBlob } from "../../../build/blob.ts";
import { copyRuntime, inject } from "../../../build/executable.ts";
import { provideRuntime } from "../../../build/runtime.ts";
import { findTarget } from "../../../build/targets.ts";
import { ccmExecutable } from "../../hosts/harness/ccm.ts";
import type { Host } from "../../hosts/harness/host.ts";
import { ScratchHome } from "./scratch-home.ts";

export interface EmptyExecutable extends Disposable {
  readonly file: string;
}

/** Puts such an executable where the host's person has it as `empty`. */
export async function installEmptyExecutable(host: Host): Promise<void> {
  using empty = await emptyExecutable();
  host.installCcm(empty.file, "empty");
}

/**
 * Such an executable beside ours; `using` removes it. Where a start is timed, both start from there and not from a host's home, which is in
 * memory: from there ours takes some milliseconds more beside an empty one than from a disk, where a person has it.
 */
export async function emptyExecutable(): Promise<EmptyExecutable> {
  using scratch = new ScratchHome();
  const file = path.join(path.dirname(ccmExecutable), ".empty");
  fs.copyFileSync(await buildEmptyExecutable(scratch.directory), file);
  return { file, [Symbol.dispose]: () => fs.rmSync(file, { force: true }) };
}

/** Makes a single executable as the build makes ours, of the same runtime with the same options, whose program is empty. */
async function buildEmptyExecutable(directory: string): Promise<string> {
  const target = findTarget(undefined);
  const runtime = await provideRuntime(target);
  const file = path.join(directory, "empty");
  const blobDirectory = path.join(directory, "empty-blob");
  fs.mkdirSync(blobDirectory);
  const blob = prepareBlob(blobDirectory, { main: ";", assets: {} }, true);
  copyRuntime(runtime.file, file, target);
  inject(file, blob, target);
  return file;
}
