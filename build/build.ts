/**
 * From source to `dist/ccm` for this machine, or with `--target NAME`, several times or `all`, to `dist/ccm-NAME`. Replaces what
 * is there by rename, so that a running one goes on, and a build that fails leaves the last one alone.
 */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { type Programs, prepareBlob } from "./blob.ts";
import { type Bundle, type Bundles, bundle } from "./bundle.ts";
import { checkExecutable } from "./check-executable.ts";
import { copyRuntime, inject } from "./executable.ts";
import { BUILD_ID_PLACEHOLDER, commit, hashOf, packageVersion } from "./identity.ts";
import { pluginText } from "./plugin-assets.ts";
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
    const buildId = hashOf([template.main.text, template.commandLine.text, pluginText(), runtime.version, target.name]);
    const programs = withBuildId(template, buildId);
    const blob = await stage(
      "blob",
      () => prepareBlob(directory, programs, runtime, isHost(target)),
      ({ file, codeCacheBytes }) => `${size(file)}, of it ${bytes(codeCacheBytes)} compiled`,
    );
    const executable = path.join(directory, "ccm");
    await stage(
      "runtime",
      () => copyRuntime(runtime.file, executable, target),
      (reason) => `${size(executable)}, Node ${runtime.version}${reason === undefined ? "" : `, not stripped (${reason})`}`,
    );
    await stage(
      "inject",
      () => injectAndCheck(executable, blob.file, target),
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

function withBuildId({ main, commandLine }: Bundles, buildId: string): Programs {
  const fill = ({ text }: Bundle) => text.replaceAll(BUILD_ID_PLACEHOLDER, buildId);
  return { main: fill(main), commandLine: fill(commandLine) };
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
  return bytes(fs.statSync(file).size);
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
