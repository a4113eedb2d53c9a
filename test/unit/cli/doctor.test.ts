import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { checkPrograms } from "../../../src/cli/doctor/check-programs.ts";
import type { Finding } from "../../../src/cli/doctor/finding.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ChatHome } from "./fixtures/chat-home.ts";

test("R1 each record that cannot be reached has its own reason, and none hides the others", async (context) => {
  const home = new ChatHome(context);
  const api = await home.session({ name: "api" });
  const own = fs.readFileSync(path.join(home.paths.claudeConfig, "sessions", `${api.pid}.json`), "utf8");
  const record = { ...JSON.parse(own), pid: process.pid, name: undefined };
  const { procStart, ...rest } = record;
  home.writeRecord("71.json", '{"pid":71,');
  home.writeRecord("72.json", "[]");
  fs.mkdirSync(path.join(home.paths.claudeConfig, "sessions", "77.json"));
  home.writeRecord(`${process.pid}.json`, JSON.stringify({ ...rest, procStart: "1" }));
  home.writeRecord("999999999.json", '{"pid":999999999,"name":"ghost"}');
  const { exitCode, stdout } = await home.ccm(["doctor", "--json"]);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  const sessions = findings.filter(({ check }) => check === "session");
  assert.deepEqual(
    sessions.map(({ subject, detail }) => [subject, detail.replace(/ \(.*/, "")]).sort(),
    [
      ["71.json", "its record is damaged or half written"],
      ["72.json", "its record is damaged or half written"],
      ["77.json", "its record cannot be read"],
      [`${process.pid}.json`, "its process id now belongs to another program"],
      ["ghost", "its process has ended"],
    ].sort(),
  );
  assert.ok(sessions.every(({ fix }) => fix !== undefined));
  assert.equal(findings.find(({ check }) => check === "registry")?.detail, "1 session can be reached");
  assert.equal(exitCode, 25);
});

test("what has to be mended is said with how, and is the exit code", async (context) => {
  const home = new ChatHome(context);
  home.writeConfig('{"label":"-"}');
  const { exitCode, stdout } = await home.ccm(["doctor"]);
  assert.equal(exitCode, 25);
  assert.match(stdout, /^fail {2}config: .*config\.json: label: must be 1 to 32 .*\n {6}→ mend /m);
  assert.match(stdout, /^ok {4}state directory: /m);
  assert.match(stdout, /^fail {2}daemon: the ccm daemon is not running\n {6}→ ccm up$/m);
  assert.match(stdout, /\n\n2 to mend, .*\n$/);
});

test("the programs we lean on: there, failing, or not there", async (context) => {
  const directory = temporaryDirectory(context);
  const write = (name: string, body: string) => fs.writeFileSync(path.join(directory, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  const levels = async () => (await checkPrograms({ PATH: directory })).map(({ check, level, detail }) => [check, level, detail]);
  assert.deepEqual(
    (await levels()).map(([check, level]) => [check, level]),
    [
      ["ssh_client", "warn"],
      ["claude_code", "warn"],
    ],
  );
  write("ssh", "echo OpenSSH_9.9p1 >&2");
  write("claude", "exit 3");
  assert.deepEqual(await levels(), [
    ["ssh_client", "ok", "OpenSSH_9.9p1"],
    ["claude_code", "warn", "claude --version failed"],
  ]);
});
