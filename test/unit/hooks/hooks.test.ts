import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { readProcStart } from "../../../src/claude/process-identity.ts";
import { parseHookInput } from "../../../src/hooks/hook-input.ts";
import { readRosterEntry } from "../../../src/members/roster-entry.ts";
import { HookHome } from "./hooked-session.ts";

/** A home in which this test process passes for the daemon. */
function homeWithDaemon(context: TestContext): HookHome {
  const home = new HookHome(context);
  const daemon = { pid: process.pid, procStart: readProcStart(process.pid) };
  fs.mkdirSync(home.paths.state, { recursive: true });
  fs.writeFileSync(home.paths.statusFile, JSON.stringify({ running: true, daemon }));
  fs.mkdirSync(home.paths.config, { recursive: true });
  fs.writeFileSync(home.paths.configFile, '{"label":"laptop"}');
  return home;
}

function entry(home: HookHome, sessionId: string) {
  return readRosterEntry(home.paths.rosterDirectory, sessionId);
}

test("a session's life: it joins, works on what is asked, and leaves", async (context) => {
  const home = homeWithDaemon(context);
  const session = await home.session("s1", { name: "web-ui" });
  const { exitCode, stdout, stderr } = await session.hook("SessionStart", { source: "startup", transcript_path: "/t.jsonl" });
  assert.deepEqual([exitCode, stderr], [0, ""]);
  const { hookSpecificOutput } = JSON.parse(stdout);
  assert.equal(hookSpecificOutput.hookEventName, "SessionStart");
  assert.match(hookSpecificOutput.additionalContext, /It is "web-ui" on the machine "laptop"/);
  assert.equal(entry(home, "s1")?.pid, session.pid);

  await session.hook("UserPromptSubmit", { prompt: "fix the login page\nand more", permission_mode: "default" });
  assert.equal(entry(home, "s1")?.task, "fix the login page");
  await session.hook("SessionStart", { source: "compact", transcript_path: "/t.jsonl" });
  assert.equal(entry(home, "s1")?.task, "fix the login page", "a compaction is no new start");
  await session.hook("SessionEnd", { reason: "other" });
  assert.equal(entry(home, "s1"), undefined);
  assert.deepEqual(fs.readdirSync(home.paths.permissionsDirectory), []);
  const common = { node: "laptop", member: "web-ui", session_id: "s1" };
  assert.deepEqual(home.events(), [
    { ev: "join", ...common, source: "startup" },
    { ev: "task", ...common, source: "prompt", task: "fix the login page" },
    { ev: "leave", ...common, reason: "other" },
  ]);
});

test("SendMessage is audited with its msg_id and without secrets", async (context) => {
  const home = homeWithDaemon(context);
  const session = await home.session("s1", { name: "web-ui" });
  await session.hook("PostToolUse", {
    tool_name: "SendMessage",
    tool_input: { to: "server-api", message: `the password is hunter2\nplease`, summary: "x" },
    tool_response: { success: true, msg_id: "m-1" },
  });
  await session.hook("PostToolUse", { tool_name: "Bash", tool_input: {}, tool_response: "ok" });
  const sent = { node: "laptop", ev: "native_send", msg_id: "m-1", sender: "web-ui", session_id: "s1", to: "server-api", ok: true };
  assert.deepEqual(home.events(), [{ ...sent, preview: "the password is [redacted] please" }]);
});

test("audit_preview_chars of 0 keeps no text, neither of messages nor of tasks", async (context) => {
  const home = homeWithDaemon(context);
  fs.writeFileSync(home.paths.configFile, '{"label":"laptop","audit_preview_chars":0}');
  const session = await home.session("s1");
  await session.hook("UserPromptSubmit", { prompt: "secret plans" });
  await session.hook("PostToolUse", { tool_name: "SendMessage", tool_input: { to: "x", message: "more plans" }, tool_response: "" });
  assert.doesNotMatch(fs.readFileSync(home.paths.auditFile, "utf8"), /plans/);
  assert.equal(entry(home, "s1")?.task, "secret plans", "the roster is what tasks are for");
});

test("H2 a hook is quick and silent with a 1 MB prompt, and with a state directory that cannot be written", async (context) => {
  const home = homeWithDaemon(context);
  const session = await home.session("s1");
  const large = await session.hook("UserPromptSubmit", { prompt: "x".repeat(1_000_000) });
  assert.deepEqual([large.exitCode, large.stdout, large.stderr], [0, "", ""]);
  assert.equal(entry(home, "s1")?.task?.length, 140);
  const { rosterDirectory, permissionsDirectory, auditFile, logFile } = home.paths;
  for (const directory of [rosterDirectory, permissionsDirectory, auditFile]) fs.rmSync(directory, { recursive: true, force: true });
  for (const directory of [rosterDirectory, permissionsDirectory]) fs.writeFileSync(directory, "in the way");
  for (const file of [auditFile, logFile]) fs.mkdirSync(file);
  for (const event of ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SessionEnd"]) {
    const result = await session.hook(
      event,
      { prompt: "y", permission_mode: "default", tool_name: "SendMessage", tool_input: {} },
      { PATH: "" },
    );
    assert.deepEqual([result.exitCode, result.stderr], [0, ""], event);
    assert.match(result.stdout, event === "SessionStart" ? /^\{"hookSpecificOutput":.*\}\n$/ : /^$/);
    assert.ok(result.durationMs < 5_000, `${event}: ${result.durationMs} ms, from source`);
  }
});

test("H3 malformed, empty and strange input: exit 0 and nothing on stdout", async (context) => {
  const home = homeWithDaemon(context);
  const session = await home.session("s1");
  for (const input of ["", "{", '{"session_id":"../../x","prompt":"y"}']) {
    const result = await session.run(["hook", "UserPromptSubmit"], input);
    assert.deepEqual([result.exitCode, result.stdout, result.stderr], [0, "", ""], input);
  }
  const { exitCode, stdout } = await session.run(["hook", "NoSuchEvent"], "{");
  assert.deepEqual([exitCode, stdout], [0, ""]);
  for (const input of ["[]", "null", '"x"', "{}", '{"session_id":5}', '{"session_id":"a/b"}'])
    assert.equal(parseHookInput(input), undefined);
  assert.equal(parseHookInput('{"session_id":"s1","prompt":[1]}')?.prompt, undefined);
});

test("H4 with the plugin enabled and the hooks in settings.json too, everything is recorded once", async (context) => {
  const home = homeWithDaemon(context);
  const plugin = path.join(home.paths.marketplace, "ccm", "hooks");
  fs.mkdirSync(plugin, { recursive: true });
  fs.writeFileSync(path.join(plugin, "hooks.json"), "{}");
  const settings = path.join(home.paths.claudeConfig, "settings.json");
  fs.mkdirSync(home.paths.claudeConfig, { recursive: true });
  fs.writeFileSync(settings, '{"enabledPlugins":{"ccm@ccm":true}}');
  const session = await home.session("s1");
  const both = async (event: string, fields: object = {}) => [
    await session.hook(event, fields),
    await session.hook(event, fields, {}, ["--from-settings"]),
  ];
  const [fromPlugin, fromSettings] = await both("SessionStart");
  assert.match(fromPlugin?.stdout ?? "", /additionalContext/);
  assert.equal(fromSettings?.stdout, "");
  await both("UserPromptSubmit", { prompt: "one" });
  assert.deepEqual(
    home.events().map(({ ev }) => ev),
    ["join", "task"],
  );
  fs.writeFileSync(settings, '{"enabledPlugins":{"ccm@ccm":false}}');
  await session.hook("UserPromptSubmit", { prompt: "two" }, {}, ["--from-settings"]);
  assert.equal(entry(home, "s1")?.task, "two");
});

test("H8 an inherited session id speaks for nobody: the ancestor that the registry knows counts", async (context) => {
  const home = homeWithDaemon(context);
  const other = await home.session("other");
  const session = await home.session("s1");
  const inherited = { CLAUDE_CODE_SESSION_ID: "other", CLAUDE_PID: String(other.pid) };
  await session.hook("UserPromptSubmit", { prompt: "mine", permission_mode: "bypassPermissions" }, inherited);
  assert.equal(entry(home, "s1")?.task, "mine");
  await session.hook("UserPromptSubmit", { session_id: "other", prompt: "forged", permission_mode: "bypassPermissions" }, inherited);
  await session.hook("SessionStart", { session_id: "other" }, inherited);
  assert.equal(entry(home, "other"), undefined);
  await other.hook("SessionStart");
  await session.hook("SessionEnd", { session_id: "other" }, inherited);
  assert.equal(entry(home, "other")?.pid, other.pid, "nobody ends another session's membership");
  assert.deepEqual(fs.readdirSync(home.paths.permissionsDirectory), ["s1.json"]);
});

test("a session that began before its hooks joins with its first prompt; a resumed one keeps what it worked on", async (context) => {
  const home = homeWithDaemon(context);
  const session = await home.session("s1");
  await session.hook("UserPromptSubmit", { prompt: "/compact" });
  assert.equal(home.events()[0]?.["ev"], "join");
  const transcript = path.join(home.paths.home, "t.jsonl");
  fs.writeFileSync(transcript, `${JSON.stringify({ type: "user", message: { role: "user", content: "old work" } })}\n`);
  await session.hook("SessionStart", { source: "resume", transcript_path: transcript });
  assert.equal(entry(home, "s1")?.task, "old work");
});
