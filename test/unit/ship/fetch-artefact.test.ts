import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { artefactsDirectory } from "../../../src/ship/artefacts.ts";
import { fetchArtefact } from "../../../src/ship/fetch-artefact.ts";
import { executableAt } from "../../../src/ship/own-executable.ts";
import { flipByte, smallRelease } from "../../support/small-release.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const PLATFORM = `${process.platform}-${process.arch}`;

function release(t: TestContext, content: Buffer) {
  const directory = temporaryDirectory(t);
  const releases = path.join(directory, "releases");
  const made = smallRelease(path.join(releases, "download", "v1.2.3"), "1.2.3", content);
  const own = executableAt("/no/such/file", { version: "1.2.3", buildId: "0123", platform: "other-x64" });
  const cacheDirectory = path.join(directory, "cache");
  const kept = () => (fs.existsSync(artefactsDirectory(cacheDirectory)) ? fs.readdirSync(artefactsDirectory(cacheDirectory)) : []);
  return { made, kept, fetch: (version = "1.2.3") => fetchArtefact(PLATFORM, { own: { ...own, version }, cacheDirectory, releases }) };
}

/** As much as tells what a file runs on. */
const HEADER = fs.readFileSync(process.execPath).subarray(0, 4_096);

test("S10 this version's executable for another platform is fetched from the releases, checked and kept", async (t) => {
  const { kept, fetch } = release(t, HEADER);
  const fetched = await fetch();
  assert.deepEqual([fetched?.platform, fetched?.version], [PLATFORM, "1.2.3"]);
  assert.ok(fetched && fs.readFileSync(fetched.file).equals(HEADER));
  assert.deepEqual(kept().sort(), [`ccm-1.2.3-${PLATFORM}`, `ccm-1.2.3-${PLATFORM}.sha256`]);
});

test("what is not what was published is not kept; another version is not taken in its place", async (t) => {
  const { made, kept, fetch } = release(t, HEADER);
  await assert.rejects(fetch("1.2.4"), { code: "release_unavailable" });
  flipByte(made.archive);
  await assert.rejects(fetch(), { code: "release_refused" });
  assert.deepEqual(kept(), []);
});

test("what holds another kind of file than its manifest says is refused", async (t) => {
  const { fetch } = release(t, Buffer.from("#!/bin/sh\n"));
  await assert.rejects(fetch(), { code: "executable_missing", message: /no executable that ccm knows/ });
});
