/**
 * `release.ts`: from the executables in `dist/` to what is published in `dist/release/`: an archive of each, `SHA256SUMS`, the
 * manifest, the bill of materials, the licences and `install.sh`. `--build` builds first; `--target NAME` makes it of some targets
 * only; `--output DIR` puts it elsewhere. `CCM_RELEASES` in the environment is where executables and `install.sh` will look for releases.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { parseArgs, promisify } from "node:util";
import { gzip } from "node:zlib";
import { stop } from "esbuild";
import { commands } from "../src/cli/command-line.ts";
import { billOfMaterials } from "./bill-of-materials.ts";
import { bundle } from "./bundle.ts";
import { bundledPackages } from "./bundled-packages.ts";
import { checkExecutable } from "./check-executable.ts";
import { commit, commitTimeSeconds, defaultReleases, packageVersion } from "./identity.ts";
import { manPage } from "./man-page.ts";
import { notices } from "./notices.ts";
import { type Artefact, releaseManifest } from "./release-manifest.ts";
import { pinnedRuntime, provideRuntime, root } from "./runtime.ts";
import { type ArchiveEntry, tarArchive } from "./tar-archive.ts";
import { executableName, findTarget, findTargets, type Target } from "./targets.ts";

const distribution = path.join(root, "dist");
const compress = promisify(gzip);

interface Release {
  readonly directory: string;
  readonly version: string;
  readonly builtAt: Date;
  readonly notices: string;
  readonly manPage: string;
}

async function makeRelease(output: string, targets: readonly Target[]): Promise<void> {
  const version = packageVersion();
  const builtAt = new Date(commitTimeSeconds() * 1000);
  const packages = bundledPackages(await bundle(version, commit()).finally(stop));
  const runtime = await provideRuntime(findTarget(undefined));
  const noticesText = notices(packages, { version: runtime.version, licenceText: fs.readFileSync(runtime.licenceFile, "utf8") });
  // Under a name of its own until it is whole: a release directory is complete or not there.
  const directory = `${output}.incoming`;
  fs.rmSync(directory, { recursive: true, force: true });
  fs.mkdirSync(directory, { recursive: true });
  const release: Release = { directory, version, builtAt, notices: noticesText, manPage: manPage(commands, { version, date: builtAt }) };
  const artefacts = await Promise.all(targets.map((target) => packTarget(release, target)));
  const write = (name: string, content: string) => fs.writeFileSync(path.join(directory, name), content);
  write("THIRD-PARTY-NOTICES.txt", noticesText);
  write("sbom.cdx.json", json(billOfMaterials({ version, builtAt, packages, runtimes: targets.map(pinnedRuntime) })));
  write("manifest.json", json(releaseManifest({ version, commit: commit(), builtAt, runtimeVersion: runtime.version, artefacts })));
  write("install.sh", installScript());
  write("SHA256SUMS", checksums(directory));
  fs.rmSync(output, { recursive: true, force: true });
  fs.renameSync(directory, output);
}

async function packTarget({ directory, version, builtAt, ...texts }: Release, target: Target): Promise<Artefact> {
  const executable = path.join(distribution, executableName(target));
  if (!fs.existsSync(executable)) throw new Error(`dist/${executableName(target)} is not built: add --build`);
  const problems = checkExecutable(executable, target);
  if (problems.length > 0) throw new Error(`dist/${executableName(target)} is not right: ${problems.join("; ")}`);
  const content = await fs.promises.readFile(executable);
  const folder = `ccm-${version}-${target.name}`;
  const entries: ArchiveEntry[] = [
    { name: `${folder}/ccm`, mode: 0o755, content },
    { name: `${folder}/LICENSE`, mode: 0o644, content: fs.readFileSync(path.join(root, "LICENSE")) },
    { name: `${folder}/THIRD-PARTY-NOTICES.txt`, mode: 0o644, content: Buffer.from(texts.notices) },
    { name: `${folder}/ccm.1`, mode: 0o644, content: Buffer.from(texts.manPage) },
  ];
  const archive = await compress(tarArchive(entries, builtAt.getTime() / 1000));
  // The header's last byte is the system that compressed; 255 is "unknown".
  archive[9] = 255;
  const file = `${folder}.tar.gz`;
  await fs.promises.writeFile(path.join(directory, file), archive);
  console.log(`${target.name.padEnd(12)} ${file}  ${(archive.length / 1e6).toFixed(1)} MB`);
  return { target, file, bytes: archive.length, sha256: sha256(archive), executable: { bytes: content.length, sha256: sha256(content) } };
}

/** In the form that `sha256sum -c` reads; of every file in the directory. */
function checksums(directory: string): string {
  const lines = fs.readdirSync(directory).map((name) => `${sha256(fs.readFileSync(path.join(directory, name)))}  ${name}\n`);
  return lines.sort((one, other) => (one.slice(66) < other.slice(66) ? -1 : 1)).join("");
}

function installScript(): string {
  const script = fs.readFileSync(path.join(root, "scripts", "install.sh"), "utf8");
  if (!script.includes('\nDEFAULT_RELEASES=""\n')) throw new Error("scripts/install.sh has no line for the address of the releases");
  return script.replace('\nDEFAULT_RELEASES=""\n', `\nDEFAULT_RELEASES="${defaultReleases()}"\n`);
}

function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

function json(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}

function build(targets: readonly Target[]): void {
  const words = targets.flatMap(({ name }) => ["--target", name]);
  const { status } = spawnSync(process.execPath, [path.join(import.meta.dirname, "build.ts"), ...words], { stdio: "inherit" });
  if (status !== 0) throw new Error("not every executable could be built");
}

try {
  const { values } = parseArgs({
    options: {
      build: { type: "boolean", default: false },
      target: { type: "string", multiple: true, default: ["all"] },
      output: { type: "string", default: path.join(distribution, "release") },
    },
  });
  const targets = findTargets(values.target);
  if (values.build) build(targets);
  await makeRelease(path.resolve(values.output), targets);
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
