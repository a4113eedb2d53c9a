import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { planInit, planUninstall } from "../../../src/cli/init/plan-init.ts";
import { resolvePaths } from "../../../src/core/paths.ts";
import { hookSettings } from "../../../src/hooks/hook-commands.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** A home with this settings.json, in which no `claude` is found. */
function homeWith(context: TestContext, settings?: string) {
  const environment = { HOME: temporaryDirectory(context), PATH: "" };
  const paths = resolvePaths(environment);
  const file = path.join(paths.claudeConfig, "settings.json");
  if (settings !== undefined) {
    fs.mkdirSync(paths.claudeConfig, { recursive: true });
    fs.writeFileSync(file, settings, { mode: 0o640 });
  }
  const apply = async (plan: { changes: readonly { what: string; apply(): unknown }[] }) => {
    for (const change of plan.changes) await change.apply();
    return plan.changes.map(({ what }) => what);
  };
  return {
    paths,
    file,
    read: () => fs.readFileSync(file, "utf8"),
    init: async () => await apply(planInit(paths, { label: "laptop", hooks: "settings" }, environment)),
    uninstall: () => apply(planUninstall(paths, environment)),
  };
}

const own = { matcher: "Write", hooks: [{ type: "command", command: "prettier" }] };
const cases: Readonly<Record<string, string | undefined>> = {
  "no file": undefined,
  "an empty object": "{}\n",
  "other settings, tabs, no final newline": JSON.stringify({ model: "opus", permissions: { allow: ["Bash"] } }, undefined, "\t"),
  "hooks of the person's own": `${JSON.stringify({ hooks: { PreToolUse: [own], Stop: [own], SessionEnd: [] }, model: "x" }, undefined, 2)}\n`,
  "an empty hooks key": `${JSON.stringify({ hooks: {}, a: 1 }, undefined, 4)}\n`,
  "one line": '{"a":1}',
};

for (const [name, settings] of Object.entries(cases)) {
  test(`uninstall leaves settings.json as init found it: ${name}`, async (context) => {
    const home = homeWith(context, settings);
    await home.init();
    const during = JSON.parse(home.read());
    for (const [event, groups] of Object.entries(hookSettings([], "settings")))
      assert.equal(during.hooks[event].at(-1).matcher, groups[0]?.matcher);
    if (settings?.includes("prettier")) assert.deepEqual(during.hooks.PreToolUse[0], own);
    assert.deepEqual(await home.init(), [], "a second time changes nothing");
    await home.uninstall();
    if (settings === undefined) assert.equal(fs.existsSync(home.file), false);
    else assert.equal(home.read(), settings);
    if (settings !== undefined) assert.equal(fs.statSync(home.file).mode & 0o777, 0o640);
    assert.deepEqual(await home.uninstall(), []);
  });
}

test("what the person changed between init and uninstall stays", async (context) => {
  const home = homeWith(context, '{\n  "a": 1\n}\n');
  await home.init();
  const settings = JSON.parse(home.read());
  settings.hooks.SessionStart.push(own);
  settings.hooks.PreToolUse[0].hooks.push({ type: "command", command: "mine" });
  fs.writeFileSync(home.file, JSON.stringify({ ...settings, b: 2 }, undefined, 2));
  await home.uninstall();
  assert.deepEqual(JSON.parse(home.read()), {
    a: 1,
    hooks: { SessionStart: [own], PreToolUse: [{ matcher: "Bash|SendMessage", hooks: [{ type: "command", command: "mine" }] }] },
    b: 2,
  });
});

test("settings that are a link are changed where they lie; what is no settings is left alone", async (context) => {
  const home = homeWith(context, "{}\n");
  const elsewhere = path.join(home.paths.home, "dotfiles.json");
  fs.renameSync(home.file, elsewhere);
  fs.symlinkSync(elsewhere, home.file);
  await home.init();
  assert.ok(fs.lstatSync(home.file).isSymbolicLink());
  assert.match(fs.readFileSync(elsewhere, "utf8"), /SessionStart/);
  for (const broken of ["{", "[]", '{"hooks":[]}']) {
    fs.writeFileSync(elsewhere, broken);
    await assert.rejects(home.init(), { code: "config_invalid" });
    assert.equal(home.read(), broken);
  }
});

test("without claude nothing is installed as a plugin, and that is said", (context) => {
  const environment = { HOME: temporaryDirectory(context), PATH: "" };
  const { changes, notes } = planInit(resolvePaths(environment), { label: "laptop", hooks: undefined }, environment);
  assert.deepEqual(
    changes.map(({ what }) => what),
    ["write ~/.config/claude-code-message/config.json: this machine is called laptop"],
  );
  assert.match(notes.join(), /no claude on PATH.*--hooks=settings/);
});

test("with claude the marketplace is written, made known and installed from; nothing twice", async (context) => {
  const home = temporaryDirectory(context);
  const bin = path.join(home, "bin");
  const log = path.join(home, "log");
  fs.mkdirSync(bin);
  fs.writeFileSync(path.join(bin, "claude"), `#!/bin/sh\necho "$@" >> ${log}\n`, { mode: 0o755 });
  const environment = { HOME: home, PATH: `${bin}:/usr/bin:/bin` };
  const paths = resolvePaths(environment);
  const plan = planInit(paths, { label: undefined, hooks: undefined }, environment);
  for (const change of plan.changes) await change.apply();
  const asked = ["plugin marketplace add", "plugin install ccm@ccm"];
  assert.deepEqual(fs.readFileSync(log, "utf8").trim().split("\n"), [`${asked[0]} ${paths.marketplace}`, asked[1]]);
  const { hooks } = JSON.parse(fs.readFileSync(path.join(paths.marketplace, "ccm/hooks/hooks.json"), "utf8"));
  assert.deepEqual(Object.keys(hooks), ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SessionEnd"]);
});

test("H5 a hook command whose executable is gone or fails succeeds silently, wherever it lies", (context) => {
  const directory = path.join(temporaryDirectory(context), "it's a place");
  const program = path.join(directory, "ccm");
  const commands = () => Object.values(hookSettings([program], "settings")).flatMap((groups) => groups.flatMap(({ hooks }) => hooks));
  const runAll = () => commands().map(({ command }) => execFileSync("/bin/sh", ["-c", `${command}`], { encoding: "utf8", input: "{}" }));
  const nothing = ["", "", "", "", ""];
  assert.deepEqual(runAll(), nothing);
  fs.mkdirSync(directory);
  fs.writeFileSync(program, "#!/bin/sh\necho oops >&2\nexit 2\n", { mode: 0o755 });
  assert.deepEqual(runAll(), nothing);
  fs.writeFileSync(program, '#!/bin/sh\ncat >/dev/null\necho "$@"\n');
  assert.deepEqual(runAll()[0], "hook SessionStart --from-settings\n");
});
