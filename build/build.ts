/**
 * From source to `dist/ccm` for this machine, or with `--target NAME`, several times or `all`, to `dist/ccm-NAME`. Replaces what
 * is there by rename, so that a running one goes on, and a build that fails leaves the last one alone.
 */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { prepareBlob } from "./blob.ts";
import { type Bundle, type Bundles, bundle } from "./bundle.ts";
import { checkExecutable } from "./check-executable.ts";
import { makeCodeCaches } from "./code-caches.ts";
import { copyRuntime, inject } from "./executable.ts";
import { BUILD_ID_PLACEHOLDER, commit, hashOf, packageVersion } from "./identity.ts";
import { type BundleName, sourceAsset } from "./packed-bundle.ts";
import { pluginAssets, pluginText } from "./plugin-assets.ts";
import { provideRuntime, root } from "./runtime.ts";
import { executableName, findTargets, isHost, type Target } from "./targets.ts";

/** All targets share the bundles: what differs between them is the runtime and, natively, the compiled forms. */
async function buildExecutables(targets: readonly Target[]): Promise<void> {
  const template = await stage("bundle", () => bundle(packageVersion(), commit()), describeBundles);
  for (const target of targets) {
    if (targets.length > 1) console.log(`-- ${target.name}`);
    await buildExecutable(template, target);
  }
}

async function buildExecutable(template: Bundles, target: Target): Promise<void> {
  const distribution = path.join(root, "dist");
  fs.mkdirSync(distribution, { recursive: true });
  const directory = fs.mkdtempSync(path.join(distribution, ".build-"));
  try {
    const runtime = await provideRuntime(target);
    const buildId = hashOf([
      template.start.text,
      template.main.text,
      template.commandLine.text,
      pluginText(),
      runtime.version,
      target.name,
    ]);
    writePrograms(directory, template, buildId);
    const codeCaches = await stage(
      "rehearse",
      () => makeCodeCaches(directory, runtime, isHost(target)),
      (files) => `${bytes(sizeOf(files.map((file) => path.join(directory, file))))} compiled`,
    );
    const carried = [sourceAsset("main"), sourceAsset("command-line"), ...codeCaches];
    const assets = { ...Object.fromEntries(carried.map((name) => [name, name])), ...pluginAssets() };
    const blob = await stage("blob", () => prepareBlob(directory, { main: template.start.text, assets }, isHost(target)), size);
    const executable = path.join(directory, "ccm");
    await stage(
      "runtime",
      () => copyRuntime(runtime.file, executable, target),
      (reason) => `${size(executable)}, Node ${runtime.version}${reason === undefined ? "" : `, not stripped (${reason})`}`,
    );
    await stage(
      "inject",
      () => injectAndCheck(executable, blob, target),
      () => size(executable),
    );
    const name = executableName(target);
    await stage(
      "publish",
      () => publish(executable, path.join(distribution, name)),
      (sha256) => `dist/${name}, build ${buildId}, sha256 ${sha256.slice(0, 12)}…`,
    );
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

function injectAndCheck(executable: string, blob: string, target: Target): void {
  inject(executable, blob, target);
  const problems = checkExecutable(executable, target);
  if (problems.length > 0) throw new Error(`the executable for ${target.name} is not right: ${problems.join("; ")}`);
}

/** Runs one stage and prints one line for it. */
async function stage<Result>(name: string, work: () => Result | Promise<Result>, describe: (result: Result) => string): Promise<Result> {
  const startedMs = performance.now();
  const result = await work();
  console.log(`${name.padEnd(8)} ${((performance.now() - startedMs) / 1000).toFixed(1).padStart(5)} s  ${describe(result)}`);
  return result;
}

function writePrograms(directory: string, { main, commandLine }: Bundles, buildId: string): void {
  const write = (name: BundleName, { text }: Bundle) =>
    fs.writeFileSync(path.join(directory, sourceAsset(name)), text.replaceAll(BUILD_ID_PLACEHOLDER, buildId));
  write("main", main);
  write("command-line", commandLine);
}

/** Returns the SHA-256 that it also writes beside the executable, in the form that `sha256sum -c` reads. */
function publish(executable: string, destination: string): string {
  const sha256 = createHash("sha256").update(fs.readFileSync(executable)).digest("hex");
  const checksum = `${executable}.sha256`;
  fs.writeFileSync(checksum, `${sha256}  ${path.basename(destination)}\n`);
  fs.renameSync(executable, destination);
  fs.renameSync(checksum, `${destination}.sha256`);
  return sha256;
}

function describeBundles({ main, commandLine }: Bundles): string {
  return `main ${bytes(main.text.length)}, command line ${bytes(commandLine.text.length)}`;
}

function size(file: string): string {
  return bytes(sizeOf([file]));
}

function sizeOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + fs.statSync(file).size, 0);
}

function bytes(count: number): string {
  return count < 1_000_000 ? `${Math.round(count / 1000)} kB` : `${(count / 1_000_000).toFixed(1)} MB`;
}

try {
  const { values } = parseArgs({ options: { target: { type: "string", multiple: true } } });
  await buildExecutables(findTargets(values.target ?? []));
} catch (error) {
  console.error(`build: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
