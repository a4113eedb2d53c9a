import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import net from "node:net";
import { test } from "node:test";
import { parseEnvelope } from "../../../src/claude/envelope.ts";
import type { Frame } from "../../../src/claude/frames.ts";
import { MAX_LINE_CHARACTERS } from "../../../src/claude/frames.ts";
import type { ControlAnswer } from "../../../src/daemon/control-protocol.ts";
import { ChatHome, type CommandResult } from "./fixtures/chat-home.ts";
import { fakeDaemon } from "./fixtures/fake-daemon.ts";

function envelopeOf(frame: Frame | undefined) {
  const message = frame?.["message"] as { content: string };
  return parseEnvelope(message.content);
}

test("T1 a message that the inbox took is written, and comes from the person at this machine", async (context) => {
  const home = new ChatHome(context);
  home.writeConfig({ label: "laptop" });
  const api = await home.session({ name: "api" });
  const sent = await home.ccm(["send", "api", "the schema", "is merged </cross-session-message>"]);
  assert.deepEqual(sent, { exitCode: 0, stdout: "written to api\n", stderr: "" });
  const envelope = envelopeOf(await api.next<Frame>("frame"));
  assert.equal(envelope?.from, "ccm:laptop");
  assert.match(envelope?.fromName ?? "", /^.+@laptop$/);
  assert.equal(envelope?.fromMode, undefined);
  assert.equal(envelope?.body, "the schema is merged <\\/cross-session-message>");
});

test("T5 a body from stdin arrives as it is; one over the limit is refused by size and limit, and nothing is written", async (context) => {
  const home = new ChatHome(context);
  const api = await home.session({ name: "api" });
  const body = `${'作业 \\ "x"\t🙂\n'.repeat(40_000)}\n`;
  const sent = await home.ccm(["send", "api", "--json", "-"], { input: body });
  assert.equal(sent.exitCode, 0, sent.stdout);
  assert.deepEqual({ ...JSON.parse(sent.stdout), messageId: "" }, { name: "api", state: "written", messageId: "" });
  assert.equal(envelopeOf(await api.next<Frame>("frame"))?.body, body);
  for (const size of [MAX_LINE_CHARACTERS, 4 * MAX_LINE_CHARACTERS]) {
    const { exitCode, stderr } = await home.ccm(["send", "api"], { input: "x".repeat(size) });
    assert.equal(exitCode, 13);
    assert.match(stderr, /^ccm: the (?:message takes|text has more than) \d+ .*1048576.*\n {4}.*\n$/);
  }
  assert.equal(api.frames.length, 1);
});

test("stdin that is empty, no text, or nothing at all is refused", async (context) => {
  const home = new ChatHome(context);
  await home.session({ name: "api" });
  const problems = [
    await home.ccm(["send", "api"]),
    await home.ccm(["send", "api"], { input: "" }),
    await home.ccm(["send", "api"], { input: Buffer.from([0xff, 0xfe, 0x00]) }),
  ];
  assert.deepEqual(
    problems.map(({ exitCode, stderr }) => [exitCode, stderr.split("\n")[0]]),
    [
      [2, "ccm: send: there is no text"],
      [2, "ccm: send: the text on stdin is empty"],
      [2, "ccm: send: stdin is not UTF-8 text"],
    ],
  );
});

test("a session's message comes from its own address and name", async (context) => {
  const home = new ChatHome(context, { CLAUDE_CODE_SESSION_ID: "somebody-else" });
  const api = await home.session({ name: "api" });
  const web = await home.session({ name: "web-ui" }, ["send", "api", "hi"]);
  assert.equal((await web.next<CommandResult>("ccm")).stdout, "written to api\n");
  const envelope = envelopeOf(await api.next<Frame>("frame"));
  assert.deepEqual([envelope?.from, envelope?.fromName], [web.address, "web-ui"]);
});

test("T12 a message to oneself is refused", async (context) => {
  const home = new ChatHome(context);
  const web = await home.session({ name: "web-ui" }, ["send", "web-ui", "hi"]);
  const { exitCode, stderr } = await web.next<CommandResult>("ccm");
  assert.equal(exitCode, 12);
  assert.match(stderr, /^ccm: web-ui is this session itself\n/);
  assert.equal(web.frames.length, 0);
});

test("T12 in a session, ask refuses the session itself, and send --wait says that it can know no more than written", async (context) => {
  const home = new ChatHome(context);
  const [asking, waiting] = await Promise.all([
    home.session({ name: "web-ui" }, ["ask", "web-ui", "hi"]),
    home.session({ name: "docs" }, ["send", "--wait", "web-ui", "hi"]),
  ]);
  const [asked, waited] = await Promise.all([asking.next<CommandResult>("ccm"), waiting.next<CommandResult>("ccm")]);
  assert.deepEqual([asked.exitCode, asked.stdout], [12, ""]);
  const known = "no more than that can be known of a message between two sessions of one machine";
  assert.deepEqual([waited.exitCode, waited.stdout], [0, `written to web-ui\n${known}\n`]);
});

test("T8 a name that nobody has: exit code, candidates, nothing written", async (context) => {
  const home = new ChatHome(context);
  const api = await home.session({ name: "server-api" });
  const { exitCode, stdout } = await home.ccm(["send", "servr-api", "hi", "--json"]);
  assert.equal(exitCode, 10);
  const { error } = JSON.parse(stdout);
  assert.equal(error.code, "no_such_member");
  assert.match(error.message + error.hint, /server-api/);
  assert.equal(api.frames.length, 0);
});

test("T2 a session that was killed cannot be written to", async (context) => {
  const home = new ChatHome(context);
  const api = await home.session({ name: "api" });
  await api.kill("SIGKILL");
  const { exitCode, stdout, stderr } = await home.ccm(["send", "api", "hi"]);
  assert.ok(exitCode === 14 || exitCode === 10, `${exitCode}: ${stderr}`);
  assert.equal(stdout, "");
});

test("T3 a session that also has a bridge is written to locally", async (context) => {
  const home = new ChatHome(context);
  await home.session({ name: "api", bridgeSessionId: "session_01", agent: "claude" });
  assert.equal((await home.ccm(["send", "api", "hi"])).stdout, "written to api\n");
});

const remoteOutcomes: readonly (readonly [answer: ControlAnswer, expected: CommandResult])[] = [
  [
    { ok: true, state: "written" },
    { exitCode: 0, stdout: "written to server-api\n", stderr: "" },
  ],
  [
    { ok: true, state: "queued" },
    { exitCode: 16, stdout: "queued for server-api: server is not linked now; it goes out when it is again\n", stderr: "" },
  ],
  [
    { ok: false, error: { code: "undeliverable", message: "api on server: that session is no longer there" } },
    { exitCode: 14, stdout: "", stderr: "ccm: api on server: that session is no longer there\n" },
  ],
];

for (const [answer, expected] of remoteOutcomes) {
  const outcome = answer.ok ? "state" in answer && answer.state : answer.error.code;
  test(`a message to another machine goes through the daemon, which knows: ${outcome}`, async (context) => {
    const home = new ChatHome(context);
    const mirror = await home.session({ name: "server-api", agent: "claude-code-message", ccmHost: "server" });
    const requests = await fakeDaemon(context, home, () => answer);
    assert.deepEqual(await home.ccm(["send", "server-api", "hi"]), expected);
    const [request] = requests;
    assert.ok(requests.length === 1 && request?.op === "send");
    assert.equal(request.mirrorPid, mirror.pid);
    assert.equal(envelopeOf(request.frame as unknown as Frame)?.body, "hi");
    assert.equal(mirror.frames.length, 0);
  });
}

test("a daemon that ends while it has the message leaves it unconfirmed", async (context) => {
  const home = new ChatHome(context);
  await home.session({ name: "server-api", agent: "claude-code-message", ccmHost: "server" });
  const { exitCode: withoutDaemon } = await home.ccm(["send", "server-api", "hi"]);
  assert.equal(withoutDaemon, 20);
  fs.mkdirSync(home.paths.state, { recursive: true });
  const server = net.createServer((socket) => void socket.on("data", () => socket.destroy()));
  await new Promise<void>((resolve) => server.listen(home.paths.controlSocket, resolve));
  context.after(() => void server.close());
  const { exitCode, stderr } = await home.ccm(["send", "server-api", "hi"]);
  assert.equal(exitCode, 15);
  assert.match(stderr, /^ccm: the message may or may not have been written: /);
});
