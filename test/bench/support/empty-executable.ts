import fs from "node:fs";
import path from "node:path";
import { prepareBlob } from "../../../build/blob.ts";
import { copyRuntime, inject } from "../../../build/executable.ts";
import { provideRuntime } from "../../../build/runtime.ts";
import { findTarget } from "../../../build/targets.ts";
import type { Host } from "../../hosts/harness/host.ts";
import { ScratchHome } from "./scratch-home.ts";

/** Puts such an executable where the host's person has it as `empty`. */
export async function installEmptyExecutable(host: Host): Promise<void> {
  using scratch = new ScratchHome();
  host.installCcm(await buildEmptyExecutable(scratch.directory), "empty");
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
