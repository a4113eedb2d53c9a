import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import type { CcmError } from "../../../src/core/errors.ts";
import { readLightConfig } from "../../../src/core/light-config.ts";
import { type Paths, resolvePaths } from "../../../src/core/paths.ts";
import { changeConfig, machineLabel, readConfig } from "../../../src/daemon/config.ts";
import { takeKernelLock } from "../../../src/daemon/kernel-lock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

function pathsWith(context: TestContext, content?: string): Paths {
  const paths = resolvePaths({ HOME: temporaryDirectory(context) });
  if (content !== undefined) {
    fs.mkdirSync(paths.config, { recursive: true });
    fs.writeFileSync(paths.configFile, content);
  }
  return paths;
}

test("no file is a configuration with defaults only", (context) => {
  const config = readConfig(pathsWith(context));
  assert.deepEqual(config, { peers: [], trust: {}, grace_seconds: 300, audit_preview_chars: 160 });
});

test("a change writes only what was set, private, and keeps keys that this build does not know", (context) => {
  const paths = pathsWith(context, '{"colour":"green","peers":[{"host":"a","label":"a","since":7}]}');
  const config = changeConfig(paths, ({ peers = [], ...rest }) => ({ ...rest, peers: [...peers, { host: "me@b:22", label: "b" }] }));
  assert.equal(config.grace_seconds, 300);
  assert.deepEqual(JSON.parse(fs.readFileSync(paths.configFile, "utf8")), {
    colour: "green",
    peers: [
      { host: "a", label: "a", since: 7 },
      { host: "me@b:22", label: "b" },
    ],
  });
  assert.equal(fs.statSync(paths.configFile).mode & 0o777, 0o600);
});

const invalidFiles: readonly (readonly [content: string, message: RegExp])[] = [
  ["{", /config\.json: not JSON: /],
  ["[]", /config\.json: expected object/],
  ['{"label":"-x"}', /config\.json: label: must be 1 to 32 of a-z/],
  ['{"grace_seconds":"5"}', /config\.json: grace_seconds: expected number/],
  ['{"peers":[{"label":"a"}]}', /config\.json: peers\[0\]\.host: expected string/],
  ['{"peers":[{"host":"a","label":"x"},{"host":"b","label":"x"}]}', /config\.json: peers\[1\]\.label: another peer is called x already/],
];

for (const [content, message] of invalidFiles) {
  test(`${content} is refused by file, key and problem, and never overwritten`, (context) => {
    const paths = pathsWith(context, content);
    const isClear = (error: CcmError) => error.code === "config_invalid" && message.test(error.message);
    assert.throws(() => readConfig(paths), isClear);
    assert.throws(() => changeConfig(paths, () => ({})), isClear);
    assert.equal(fs.readFileSync(paths.configFile, "utf8"), content);
  });
}

test("an invalid change leaves the file as it is", (context) => {
  const paths = pathsWith(context, '{"label":"laptop"}');
  assert.throws(() => changeConfig(paths, () => ({ label: "NO" })), { code: "config_invalid" });
  assert.equal(readConfig(paths).label, "laptop");
});

test("the light reader agrees with the schema, and falls back where that throws", (context) => {
  const paths = pathsWith(context, '{"label":"laptop","audit_preview_chars":20}');
  assert.deepEqual(readLightConfig(paths), { label: machineLabel(readConfig(paths)), auditPreviewCharacters: 20 });
  fs.writeFileSync(paths.configFile, "{");
  assert.equal(readLightConfig(paths).label, machineLabel({}));
  const absent = pathsWith(context);
  assert.deepEqual(readLightConfig(absent), { label: machineLabel({}), auditPreviewCharacters: readConfig(absent).audit_preview_chars });
});

test("processes that change the file at the same time lose nothing of each other's", async (context) => {
  const paths = pathsWith(context);
  const { CCM_TEST_MARK } = process.env;
  const program = path.join(import.meta.dirname, "fixtures", "add-peers.ts");
  const names = ["a", "b", "c"];
  const programs = names.map((name) => spawn(process.execPath, [program, name, "20"], { env: { HOME: paths.home, CCM_TEST_MARK } }));
  await Promise.all(programs.map((child) => once(child.stdout, "data")));
  const ended = programs.map((child) => once(child, "close"));
  for (const child of programs) child.stdin.end();
  assert.deepEqual(await Promise.all(ended), [
    [0, null],
    [0, null],
    [0, null],
  ]);
  const labels = readConfig(paths).peers.map(({ label }) => label);
  const expected = names.flatMap((name) => Array.from({ length: 20 }, (_, number) => `${name}-${number}`));
  assert.deepEqual(labels.sort(), expected.sort());
});

test("the lock of a file has one holder at a time, and says so to whoever cannot wait", (context) => {
  const { home } = pathsWith(context);
  const file = path.join(home, "x.lock");
  const lock = takeKernelLock(file, { waitMs: 0 });
  assert.equal(takeKernelLock(file, { waitMs: 10 }), undefined);
  lock?.release();
  takeKernelLock(file, { waitMs: 0 })?.release();
  assert.throws(() => takeKernelLock(path.join(home, "nowhere", "x.lock"), { waitMs: 0 }), { code: "state_unusable" });
});
