import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { checkExecutable } from "../../build/check-executable.ts";
import { isHost, type Target, targets } from "../../build/targets.ts";
import { noRelease, readManifest, releaseDirectory } from "../support/release-directory.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

/** How this machine starts an executable of the target: by itself, emulated, or not at all, which is then the reason. */
function starter(target: Target): readonly string[] | string {
  if (isHost(target)) return [];
  const libraries = "/usr/aarch64-linux-gnu";
  const emulator = ["/usr/bin/qemu-aarch64-static", "/usr/bin/qemu-aarch64"].find(fs.existsSync);
  if (target.name !== "linux-arm64") return `only ${target.platform} can start it`;
  if (!emulator || !fs.existsSync(`${libraries}/lib/libatomic.so.1`)) return "needs qemu-user-static and the arm64 libraries";
  return [emulator, "-L", libraries];
}

for (const target of targets) {
  test(`F5 the archive for ${target.name} holds what its name says`, { skip: noRelease }, async (t) => {
    const manifest = readManifest();
    const artefact = manifest.artefacts.find((one) => one.target === target.name);
    assert.ok(artefact);
    const directory = temporaryDirectory(t);
    const unpacked = spawnSync("tar", ["-xzf", path.join(releaseDirectory, artefact.file), "-C", directory], { encoding: "utf8" });
    assert.equal(unpacked.status, 0, unpacked.stderr);
    const folder = path.join(directory, `ccm-${manifest.version}-${target.name}`);
    assert.deepEqual(fs.readdirSync(folder).sort(), ["LICENSE", "THIRD-PARTY-NOTICES.txt", "ccm", "ccm.1"]);
    const executable = path.join(folder, "ccm");
    assert.deepEqual(checkExecutable(executable, target), []);
    assert.equal(createHash("sha256").update(fs.readFileSync(executable)).digest("hex"), artefact.executable.sha256);

    await t.test("and starts", { skip: typeof starter(target) === "string" ? String(starter(target)) : false }, () => {
      const [file, ...args] = [...starter(target), executable];
      for (const word of ["--version", "--help"]) {
        const { status, stdout, stderr } = spawnSync(file ?? "", [...args, word], { encoding: "utf8", timeout: 60_000, env: {} });
        assert.deepEqual([status, stderr], [0, ""]);
        if (word === "--version") assert.match(stdout, new RegExp(`^ccm ${manifest.version} .* ${target.name}\\)\\n$`));
      }
    });
  });
}

test("SHA256SUMS is of every other file of the release", { skip: noRelease }, () => {
  const { status, stdout } = spawnSync("sha256sum", ["-c", "SHA256SUMS"], { cwd: releaseDirectory, encoding: "utf8" });
  assert.equal(status, 0, stdout);
  const listed = fs.readFileSync(path.join(releaseDirectory, "SHA256SUMS"), "utf8").trimEnd().split("\n");
  assert.deepEqual(
    listed.map((line) => line.slice(66)),
    fs
      .readdirSync(releaseDirectory)
      .filter((name) => name !== "SHA256SUMS")
      .sort(),
  );
});

test("the bill of materials and the notices name the same packages, and the runtime", { skip: noRelease }, () => {
  const { components } = JSON.parse(fs.readFileSync(path.join(releaseDirectory, "sbom.cdx.json"), "utf8"));
  const notices = fs.readFileSync(path.join(releaseDirectory, "THIRD-PARTY-NOTICES.txt"), "utf8");
  const libraries = components.filter(({ type }: { type: string }) => type === "library");
  for (const { name, version } of libraries) assert.ok(notices.includes(`${name} ${version} (`), name);
  for (const name of ["ssh2", "yargs", "zod"]) assert.ok(libraries.some((one: { name: string }) => one.name === name));
  assert.ok(notices.includes(`Node.js ${readManifest().runtime.version}`));
  assert.equal(components.length - libraries.length, targets.length);
});
