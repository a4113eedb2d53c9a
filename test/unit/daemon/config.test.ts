import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import { type TestContext, test } from "node:test";
import type { CcmError } from "../../../src/core/errors.ts";
import { readLightConfig } from "../../../src/core/light-config.ts";
import { type Paths, resolvePaths } from "../../../src/core/paths.ts";
import { changeConfig, machineLabel, readConfig } from "../../../src/daemon/config.ts";
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
  assert.deepEqual(config, { peers: [], grace_seconds: 300, audit_preview_chars: 160 });
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
