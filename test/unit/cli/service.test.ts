import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { serviceManager } from "../../../src/cli/service/find-manager.ts";
import { launchdAgent } from "../../../src/cli/service/launchd-agent.ts";
import { decidingVariables } from "../../../src/cli/service/service-manager.ts";
import { systemdUnit } from "../../../src/cli/service/systemd-unit.ts";
import { resolvePaths } from "../../../src/core/paths.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ChatHome } from "./fixtures/chat-home.ts";

const noAnalyzer = spawnSync("systemd-analyze", ["--version"]).error ? "needs systemd-analyze" : false;

/** A home with a `systemctl` that notes what it is told and answers with `answer`. */
function withSystemctl(t: TestContext, answer = "echo active") {
  const home = temporaryDirectory(t);
  const told = path.join(home, "told");
  const tools = path.join(home, "tools");
  fs.mkdirSync(tools);
  fs.writeFileSync(path.join(tools, "systemctl"), `#!/bin/sh\necho "$*" >>${told}\n${answer}\n`, { mode: 0o755 });
  const before = process.env["PATH"];
  process.env["PATH"] = `${tools}:${before}`;
  t.after(() => {
    process.env["PATH"] = before;
  });
  return { home, toldLines: () => fs.readFileSync(told, "utf8").trimEnd().split("\n") };
}

const program = { executable: "/home/a b/.local/bin/ccm", environment: { CLAUDE_CONFIG_DIR: '/srv/100% "mine"$HOME' } };

test("a unit starts this executable for this configuration, and again when it failed", { skip: noAnalyzer }, (t) => {
  const directory = temporaryDirectory(t);
  const executable = path.join(directory, "a b", "ccm");
  fs.mkdirSync(path.dirname(executable));
  fs.writeFileSync(executable, "#!/bin/sh\n", { mode: 0o755 });
  const file = path.join(directory, "ccm.service");
  fs.writeFileSync(file, systemdUnit({ ...program, executable }));
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--user", file], {
    encoding: "utf8",
    env: { ...process.env, HOME: directory, XDG_RUNTIME_DIR: directory },
  });
  assert.deepEqual([status, stderr.split("\n").filter((line) => line.includes(file))], [0, []]);
});

test("what a unit or an agent would expand or end at is taken as it is written", () => {
  const unit = systemdUnit(program);
  assert.match(unit, /^ExecStart="\/home\/a b\/\.local\/bin\/ccm" daemon$/m);
  assert.ok(unit.includes('Environment="CLAUDE_CONFIG_DIR=/srv/100%% \\"mine\\"$HOME"'));
  assert.match(launchdAgent("x", { ...program, executable: "/a&b/<c>" }), /<string>\/a&amp;b\/&lt;c&gt;<\/string>/);
});

test("a service is the daemon of the configuration in which it was installed", () => {
  assert.deepEqual(
    decidingVariables({ XDG_STATE_HOME: "/s", CLAUDE_CONFIG_DIR: "/c", CLAUDECODE: "1", PATH: "/bin", XDG_CACHE_HOME: "" }),
    {
      CLAUDE_CONFIG_DIR: "/c",
      XDG_STATE_HOME: "/s",
    },
  );
  const [first, second] = [{}, { CLAUDE_CONFIG_DIR: "/elsewhere" }].map(
    (env) => serviceManager(resolvePaths({ HOME: "/h", ...env }), "linux").file,
  );
  assert.equal(first, "/h/.config/systemd/user/ccm.service");
  assert.match(second ?? "", /^\/h\/\.config\/systemd\/user\/ccm-[0-9a-f]{12}\.service$/);
  assert.match(serviceManager(resolvePaths({ HOME: "/h" }), "darwin").file, /^\/h\/Library\/LaunchAgents\/claude-code-message\.plist$/);
});

test("install writes the unit and starts it now and at login; uninstall takes both back", async (t) => {
  const { home, toldLines } = withSystemctl(t);
  const manager = serviceManager(resolvePaths({ HOME: home }), "linux");
  assert.deepEqual(await manager.state(), { installed: false, running: false, detail: "not installed" });
  await manager.install(program);
  assert.deepEqual(toldLines(), ["--user daemon-reload", "--user enable ccm.service", "--user restart ccm.service"]);
  assert.deepEqual(await manager.state(), { installed: true, running: true, detail: "active" });
  assert.equal(await manager.uninstall(), true);
  assert.deepEqual(toldLines().slice(-2), ["--user disable --now ccm.service", "--user daemon-reload"]);
  assert.equal(fs.existsSync(manager.file), false);
  assert.equal(await manager.uninstall(), false);
});

test("a manager that refuses is quoted, with what to do instead", async (t) => {
  const { home } = withSystemctl(t, 'echo "Failed to connect to bus" >&2; exit 1');
  const manager = serviceManager(resolvePaths({ HOME: home }), "linux");
  await assert.rejects(manager.install(program), {
    code: "service_failed",
    message: /daemon-reload: Failed to connect to bus/,
    hint: /ccm up/,
  });
});

test("up starts the daemon through the service where one is, and without it where that fails", async (t) => {
  const { home: systemctlHome, toldLines } = withSystemctl(t, 'echo "no bus" >&2; exit 1');
  const home = new ChatHome(t, { PATH: `${path.join(systemctlHome, "tools")}:${process.env["PATH"]}` });
  const { file } = serviceManager(home.paths, "linux");
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, "");
  const { exitCode, stdout, stderr } = await home.ccm(["up"]);
  assert.deepEqual([exitCode, toldLines()], [0, ["--user start ccm.service"]]);
  assert.match(stdout, /^started/);
  assert.match(stderr, /runs by itself, for its service cannot be started: .*no bus/);
  await home.ccm(["down"]);
});

test("service status says that there is none, with the exit code of a daemon that does not run; from source none is installed", async (t) => {
  const home = new ChatHome(t);
  const { exitCode, stdout } = await home.ccm(["service", "status"]);
  assert.deepEqual([exitCode, stdout], [20, "the daemon is no service: ccm service install makes it one\n"]);
  assert.match((await home.ccm(["service", "install"])).stderr, /needs an installed ccm/);
});
