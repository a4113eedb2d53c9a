import fs from "node:fs";
import path from "node:path";
import { prepareBlob } from "../../../build/blob.ts";
import { copyRuntime, inject } from "../../../build/executable.ts";
import { provideRuntime } from "../../../build/runtime.ts";
import { findTarget } from "../../../build/targets.ts";

const PROGRAMS = { main: ";", commandLine: "exports.runCommandLine = async () => {};" };

/** Makes a single executable as the build makes ours, of the same runtime with the same options, whose program is empty. */
export async function buildEmptyExecutable(directory: string): Promise<string> {
  const target = findTarget(undefined);
  const runtime = await provideRuntime(target);
  const file = path.join(directory, "empty");
  const blobDirectory = path.join(directory, "empty-blob");
  fs.mkdirSync(blobDirectory);
  const blob = prepareBlob(blobDirectory, PROGRAMS, runtime, true);
  copyRuntime(runtime.file, file, target);
  inject(file, blob.file, target);
  return file;
}
