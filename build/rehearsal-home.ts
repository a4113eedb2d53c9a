import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { buildEnvelope } from "../src/claude/envelope.ts";
import { socketAddress, type UserFrame, userFrame } from "../src/claude/frames.ts";
import { listenInbox } from "../src/claude/inbox.ts";
import { writeKeyFile } from "../src/claude/key-file.ts";
import { openPeer } from "../src/claude/peer.ts";
import type { PeerIdentity } from "../src/claude/peer-files.ts";
import { PeerRecord, type PeerRecordFields } from "../src/claude/peer-record.ts";
import { currentPidDomain, readProcStart } from "../src/claude/process-identity.ts";
import { inboxSocketPath } from "../src/claude/socket-directory.ts";
import { systemClock } from "../src/core/clock.ts";
import { type Paths, resolvePaths } from "../src/core/paths.ts";
import { ensurePrivateDirectory, writePrivateFile } from "../src/core/private-file.ts";
import { randomHex } from "../src/core/random.ts";
import type { ControlAnswer } from "../src/daemon/control-protocol.ts";
import { MIRROR_AGENT } from "../src/members/local-members.ts";
import type { ToMirror } from "../src/mirror/mirror-protocol.ts";

/** A home in which a session of a person and a colleague's can be played: what a rehearsal is given. */
export interface RehearsalHome {
  readonly env: NodeJS.ProcessEnv;
  /** Sessions that take messages, one of this machine and one of another. What is rehearsed is a process of a third one. */
  readonly colleagues: readonly string[];
  readonly hooks: readonly { readonly event: string; readonly input: string }[];
  /** For the stdin of a mirror, which delivers a message to the colleague and then says so. */
  readonly mirror: { readonly input: string; readonly until: string };
}

const SESSION = "6ba7b810-9dad-41d1-80b4-00c04fd430c8";
const MODE = "acceptEdits";

/** On macOS `ps` tells when a process started. */
const SYSTEM_PATH = "/usr/bin:/bin";

/** Always as long as this: what runs, and so is compiled, depends on how long a path is. */
const HOME_PREFIX = "/tmp/ccm-rehearsal-";

export async function inRehearsalHome(work: (home: RehearsalHome) => Promise<void>): Promise<void> {
  const directory = fs.mkdtempSync(HOME_PREFIX);
  const leaving: (() => unknown)[] = [];
  try {
    await work(await furnish(directory, leaving));
  } finally {
    for (const leave of leaving) await leave();
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

/** What has to be undone at the end goes into `leaving` as it is done. */
async function furnish(directory: string, leaving: (() => unknown)[]): Promise<RehearsalHome> {
  const runtimeDirectory = path.join(directory, "run");
  fs.mkdirSync(runtimeDirectory, { mode: 0o700 });
  const env = { HOME: directory, XDG_RUNTIME_DIR: runtimeDirectory, PATH: SYSTEM_PATH };
  const paths = resolvePaths(env);
  const { claudeConfig } = paths;
  const record = { name: "web-ui", sessionId: SESSION, cwd: directory, version: "2.1.332" };
  const own = await openPeer({ claudeConfig, env, record, onFrame: () => {}, onProblem: () => {} });
  leaving.push(() => own.close());
  await playDaemon(paths, own, leaving);
  const api = await joinColleague({ claudeConfig, env, leaving }, { ...record, sessionId: undefined, name: "api" });
  await joinColleague({ claudeConfig, env, leaving }, { name: "server-api", agent: MIRROR_AGENT, ccmHost: "server" });

  const orders: readonly ToMirror[] = [
    { op: "open", claudeConfig, name: "server-web-ui", record: { agent: "rehearsal" } },
    { op: "deliver", id: 1, target: api, frame: greeting(own.socketPath, "web-ui") },
  ];
  return {
    env,
    colleagues: ["api", "server-api"],
    hooks: hookInputs(directory),
    mirror: { input: orders.map((order) => `${JSON.stringify(order)}\n`).join(""), until: '"op":"delivered"' },
  };
}

/** So that a hook starts none, and a message to another machine gets there. */
async function playDaemon(
  { state, statusFile, controlSocket }: Paths,
  { pid, procStart }: PeerIdentity,
  leaving: (() => unknown)[],
): Promise<void> {
  ensurePrivateDirectory(state);
  writePrivateFile(statusFile, JSON.stringify({ running: true, daemon: { pid, procStart } }));
  const answer: ControlAnswer = { ok: true, state: "written" };
  const server = net.createServer((client) => client.on("error", () => {}).once("data", () => client.end(`${JSON.stringify(answer)}\n`)));
  await once(server.listen(controlSocket), "listening");
  leaving.push(() => server.close());
}

interface Place {
  readonly claudeConfig: string;
  readonly env: NodeJS.ProcessEnv;
  readonly leaving: (() => unknown)[];
}

/** A session with a process of its own, which does nothing: this one listens for it. */
async function joinColleague(
  { claudeConfig, env, leaving }: Place,
  record: PeerRecordFields & { readonly name: string },
): Promise<PeerIdentity> {
  const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: ["pipe", "ignore", "ignore"] });
  leaving.push(() => child.kill("SIGKILL"));
  const pid = child.pid;
  const procStart = pid === undefined ? undefined : readProcStart(pid);
  if (pid === undefined || procStart === undefined) throw new Error("a session of the rehearsal did not start");
  const socketPath = inboxSocketPath(env, pid);
  const token = randomHex(16);
  const inbox = await listenInbox({ socketPath, token, onFrame: () => {}, onProblem: () => {} });
  leaving.push(() => inbox.close());
  writeKeyFile(claudeConfig, pid, socketPath, { peerToken: token, procStart, pidDomain: currentPidDomain() });
  new PeerRecord(claudeConfig, { pid, procStart, socketPath }, record, systemClock).write();
  return { pid, procStart, socketPath };
}

function greeting(socketPath: string, fromName: string): UserFrame {
  const from = socketAddress(socketPath);
  return userFrame({ from, content: buildEnvelope({ from, fromName, fromMode: "prompting" }, "hello") });
}

function hookInputs(cwd: string): RehearsalHome["hooks"] {
  const common = { session_id: SESSION, transcript_path: path.join(cwd, "transcript.jsonl"), cwd };
  const inputs = {
    SessionStart: { source: "startup" },
    UserPromptSubmit: { prompt: "mend the login page", permission_mode: MODE },
    PreToolUse: { tool_name: "Bash", tool_input: { command: "ls" }, permission_mode: MODE },
    PostToolUse: { tool_name: "SendMessage", tool_input: { to: "api", message: "hello" }, tool_response: {}, permission_mode: MODE },
    SessionEnd: { reason: "other" },
  };
  return Object.entries(inputs).map(([event, input]) => ({
    event,
    input: JSON.stringify({ ...common, hook_event_name: event, ...input }),
  }));
}
