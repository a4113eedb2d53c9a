import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { plainStyle } from "../../../src/cli/output/style.ts";
import { describeRoster } from "../../../src/cli/roster/describe-roster.ts";
import { type Selection, selectMembers } from "../../../src/cli/roster/select-members.ts";
import { shellWord } from "../../../src/members/member-address.ts";
import type { RosterMember } from "../../../src/members/roster-members.ts";
import { ChatHome, type CommandResult } from "./fixtures/chat-home.ts";

const member: RosterMember = {
  name: "web-ui",
  address: "web-ui",
  machine: "laptop",
  isRemote: false,
  isYou: false,
  status: "idle",
  cwd: "/home/me/src/web",
  task: undefined,
  mode: undefined,
  holds: false,
  offlineSince: undefined,
  pid: 7,
  sessionId: "s",
  unreachable: undefined,
};

test("the roster is a table whose first column can be typed after `ccm send`", () => {
  const remote = { ...member, machine: "server", isRemote: true, cwd: "/srv/api" };
  const members: RosterMember[] = [
    { ...member, isYou: true, status: "busy" },
    { ...member, name: "old", address: undefined, unreachable: "nobody listens on its inbox" },
    { ...remote, name: "server-a b", address: "server-a b", task: "fix the login\nredirect" },
    { ...remote, name: "server-x", address: "78a1a272", cwd: undefined, status: undefined },
  ];
  assert.equal(
    describeRoster(members, { home: "/home/me", style: plainStyle }),
    [
      "NAME                 MACHINE  STATUS       DIRECTORY  TASK",
      "web-ui ← you         laptop   busy         ~/src/web",
      "old                  laptop   unreachable  ~/src/web  nobody listens on its inbox",
      "'server-a b'         server   idle         /srv/api   fix the login redirect",
      "78a1a272 (server-x)  server",
    ].join("\n"),
  );
});

test("who is offline, and who asks a person first, is marked", () => {
  const members = [
    { ...member, status: "busy", mode: "bypass", holds: true },
    { ...member, name: "b", address: "b", isRemote: true, offlineSince: "2026-01-01T00:00:00.000Z" },
  ];
  const [, first, second, legend] = describeRoster(members, { home: "/home/me", style: plainStyle }).split("\n");
  assert.match(first ?? "", / busy\* /);
  assert.match(second ?? "", / offline /);
  assert.match(legend ?? "", /^\* its person is asked before/);
});

test("members are chosen by machine, name and text; a machine that nobody is on is a mistake", () => {
  const remote: RosterMember = { ...member, name: "server-api", machine: "server", isRemote: true, task: "fix the Login", cwd: "/srv/api" };
  const members = [member, remote, { ...remote, name: "server-ci.1", task: undefined }];
  const names = (selection: Selection) => selectMembers(members, selection).map(({ name }) => name);
  assert.deepEqual(names({}), ["web-ui", "server-api", "server-ci.1"]);
  assert.deepEqual(names({ node: ["server"] }), ["server-api", "server-ci.1"]);
  assert.deepEqual(names({ local: true }), ["web-ui"]);
  assert.deepEqual(names({ match: "login" }), ["server-api"]);
  assert.deepEqual(names({ match: "/srv" }), ["server-api", "server-ci.1"]);
  assert.deepEqual(names({ name: ["server-*"], except: ["*ci?1", "server-c*"] }), ["server-api"]);
  assert.throws(() => names({ node: ["sever"] }), { code: "usage", hint: "did you mean: server" });
  assert.deepEqual(selectMembers(members, { node: ["gone"] }, { mayBeAbsent: true }), []);
});

test("a word is quoted only where a shell needs it", () => {
  assert.deepEqual(["api", "作业-1", "/deploy", "a b", "it's", "name [ref]", "~x", ""].map(shellWord), [
    "api",
    "作业-1",
    "/deploy",
    "'a b'",
    "'it'\\''s'",
    "'name [ref]'",
    "'~x'",
    "''",
  ]);
});

test("the caller's own session is marked, whatever session id it inherited", async (context) => {
  const home = new ChatHome(context, { CLAUDE_CODE_SESSION_ID: "another" });
  home.writeConfig({ label: "laptop" });
  await home.session({ name: "api", sessionId: "another" });
  const web = await home.session({ name: "web-ui" }, ["roster"]);
  const { stdout } = await web.next<CommandResult>("ccm");
  assert.match(stdout, /^web-ui ← you {2}laptop/m);
  assert.match(stdout, /^api {2}/m);
});

test("members of another machine come with what their mirror says; the dead do not come at all", async (context) => {
  const home = new ChatHome(context);
  const record = {
    name: "server-api",
    agent: "claude-code-message",
    ccmHost: "server",
    ccmTask: "merge the schema",
    cwd: "/srv/api",
    status: "busy",
  };
  const mirror = await home.session(record);
  home.writeRecord("999999999.json", '{"pid":999999999,"name":"ghost"}');
  const { members } = JSON.parse((await home.ccm(["roster", "--json"])).stdout) as { members: RosterMember[] };
  const [only] = members;
  assert.equal(members.length, 1);
  assert.deepEqual(
    { ...only, sessionId: undefined },
    {
      name: "server-api",
      address: "server-api",
      machine: "server",
      isRemote: true,
      isYou: false,
      status: "busy",
      cwd: "/srv/api",
      task: "merge the schema",
      holds: false,
      pid: mirror.pid,
      sessionId: undefined,
    },
  );
});

test("nobody here is said, not shown as an empty table", async (context) => {
  const { exitCode, stdout } = await new ChatHome(context).ccm(["roster"]);
  assert.deepEqual([exitCode, stdout], [0, "no session is here: start claude, here or on a paired machine\n"]);
});
