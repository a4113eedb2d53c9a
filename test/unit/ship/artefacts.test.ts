import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { binaryPlatform, findArtefact } from "../../../src/ship/artefacts.ts";
import { executableAt } from "../../../src/ship/own-executable.ts";

const directory = fs.mkdtempSync(path.join(os.tmpdir(), "ccm-artefacts-"));
after(() => fs.rmSync(directory, { recursive: true }));
const own = executableAt(path.join(directory, "bin", "ccm"), { version: "1.2.3", buildId: "b1", platform: "linux-x64" });
const options = { own, cacheDirectory: path.join(directory, "cache") };

function binary(system: "elf" | "mach", machine: number): Buffer {
  const content = Buffer.alloc(4096);
  if (system === "elf") content.writeUInt32BE(0x7f454c46, 0);
  else content.writeUInt32LE(0xfeedfacf, 0);
  if (system === "elf") content.writeUInt16LE(machine, 18);
  else content.writeUInt32LE(machine, 4);
  return content;
}

function put(folder: string, name: string, content: Buffer, checksum = createHash("sha256").update(content).digest("hex")): string {
  fs.mkdirSync(path.join(directory, folder), { recursive: true });
  const file = path.join(directory, folder, name);
  fs.writeFileSync(file, content);
  fs.writeFileSync(`${file}.sha256`, `${checksum}  ${name}\n`);
  return file;
}

test("an artefact is found beside the executable or in the cache, and is named by its content", async () => {
  assert.equal(await findArtefact("linux-arm64", options), undefined);
  const content = binary("elf", 183);
  const beside = put("bin", "ccm-linux-arm64", content);
  const found = await findArtefact("linux-arm64", options);
  const sha256 = createHash("sha256").update(content).digest("hex");
  assert.deepEqual([found?.file, found?.version, found?.buildId, found?.platform], [beside, "1.2.3", sha256.slice(0, 16), "linux-arm64"]);
  const released = put("cache/artefacts", "ccm-1.2.3-linux-arm64", content);
  assert.equal((await findArtefact("linux-arm64", options))?.file, released);
});

test("one that is for another platform, or not what its checksum says, is refused; one without a checksum is none", async () => {
  put("bin", "ccm-darwin-arm64", binary("mach", 0x01000007));
  await assert.rejects(findArtefact("darwin-arm64", options), { code: "executable_missing", message: /is for darwin-x64/ });
  const damaged = put("bin", "ccm-darwin-x64", binary("mach", 0x01000007), "0".repeat(64));
  await assert.rejects(findArtefact("darwin-x64", options), { code: "executable_missing", message: /SHA-256/ });
  fs.rmSync(`${damaged}.sha256`);
  assert.equal(await findArtefact("darwin-x64", options), undefined);
});

test("this runtime's own header says what it runs on", () => {
  assert.equal(binaryPlatform(process.execPath), `${process.platform}-${process.arch}`);
});
