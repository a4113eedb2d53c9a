import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { checkInbound } from "../../../src/cli/doctor/check-claude.ts";
import { checkHooks } from "../../../src/cli/doctor/check-hooks.ts";
import { resolvePaths } from "../../../src/core/paths.ts";
import { hookSettings } from "../../../src/hooks/hook-commands.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

test("doctor says whether hooks are installed, once, and lead to a program that is there", (context) => {
  const paths = resolvePaths({ HOME: temporaryDirectory(context) });
  const settings = path.join(paths.claudeConfig, "settings.json");
  const plugin = path.join(paths.marketplace, "ccm", "hooks", "hooks.json");
  for (const file of [settings, plugin]) fs.mkdirSync(path.dirname(file), { recursive: true });
  const levels = () => checkHooks(paths).map(({ level }) => level);
  assert.deepEqual(levels(), ["warn"]);

  const program = path.join(paths.home, "it's ccm");
  const enabled = { enabledPlugins: { "ccm@ccm": true } };
  fs.writeFileSync(settings, JSON.stringify({ hooks: hookSettings([program], "settings") }));
  assert.deepEqual(levels(), ["fail"], "the program is gone");
  fs.writeFileSync(program, "");
  assert.equal(checkHooks(paths)[0]?.detail, `they are in settings.json; they run ${program}`);

  fs.writeFileSync(settings, JSON.stringify({ ...enabled, hooks: hookSettings([program], "settings") }));
  fs.writeFileSync(plugin, JSON.stringify({ hooks: hookSettings([program], "plugin") }));
  assert.deepEqual(levels(), ["ok", "warn"], "installed twice");
  fs.writeFileSync(settings, JSON.stringify(enabled));
  assert.deepEqual(levels(), ["ok"]);
  fs.writeFileSync(settings, '{"enabledPlugins":{"ccm@ccm":false}}');
  assert.match(checkHooks(paths)[0]?.fix ?? "", /plugin enable/);
});

test("doctor says what crossSessionInbound makes of messages", (context) => {
  const paths = resolvePaths({ HOME: temporaryDirectory(context) });
  const settings = path.join(paths.claudeConfig, "settings.json");
  fs.mkdirSync(paths.claudeConfig, { recursive: true });
  assert.equal(checkInbound(paths).level, "ok");
  fs.writeFileSync(settings, '{"crossSessionInbound":"refuse"}');
  assert.equal(checkInbound(paths).level, "warn");
  fs.writeFileSync(settings, '{"crossSessionInbound":"accept"}');
  assert.match(checkInbound(paths).detail, /everything is taken/);
});
