/**
 * `node crowd.mjs COUNT PREFIX`: COUNT sessions of one process, each a registered peer at the cost of a sleeping child. Answers
 * {@link CrowdOrder}s on its standard input; leaves when that ends, and takes everything with it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import net from "node:net";
import { authLine } from "../../../src/claude/auth-line.ts";
import { DeliveryQueues } from "../../../src/claude/delivery-queues.ts";
import { buildEnvelope, parseEnvelope } from "../../../src/claude/envelope.ts";
import { type Frame, isUserFrame, socketAddress, userFrame } from "../../../src/claude/frames.ts";
import { type Inbox, listenInbox } from "../../../src/claude/inbox.ts";
import { readPeerToken, sessionsDirectory, writeKeyFile } from "../../../src/claude/key-file.ts";
import { type PeerIdentity, removePeerFiles } from "../../../src/claude/peer-files.ts";
import { PeerRecord } from "../../../src/claude/peer-record.ts";
import { currentPidDomain, readProcStart } from "../../../src/claude/process-identity.ts";
import { readRegistry } from "../../../src/claude/registry.ts";
import { inboxSocketPath } from "../../../src/claude/socket-directory.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { resolvePaths } from "../../../src/core/paths.ts";
import { ensurePrivateDirectory } from "../../../src/core/private-file.ts";
import { answerOrders } from "../support/orders.ts";

/** `send` writes to a session of this host, by name: one after the other with a pause, or all at once from the members in turn. */
export type CrowdOrder =
  | { readonly op: "send"; readonly to: string; readonly messages: number; readonly pauseMs: number }
  | { readonly op: "burst"; readonly to: string; readonly messages: number; readonly senders: number }
  /** Writes to each of these in every round, at a steady pace; answers with the seconds that it took. */
  | { readonly op: "spread"; readonly to: readonly string[]; readonly rounds: number; readonly roundMs: number }
  /** What has arrived since it was last asked. */
  | { readonly op: "arrivals" };

/** Times are of the monotonic clock, which all hosts of one machine share. */
export interface Arrival {
  readonly sender: string;
  readonly number: number;
  readonly sentNs: string;
  readonly arrivedNs: string;
}

interface CrowdMember {
  readonly name: string;
  readonly identity: PeerIdentity;
  readonly child: ChildProcess;
  readonly inbox: Inbox;
  readonly deliveries: DeliveryQueues;
  sent: number;
}

const { claudeConfig } = resolvePaths();
const arrivals: Arrival[] = [];

async function join(name: string): Promise<CrowdMember> {
  const child = spawn("sleep", ["infinity"], { stdio: "ignore" });
  const pid = child.pid ?? 0;
  const procStart = readProcStart(pid) ?? "";
  const socketPath = inboxSocketPath(process.env, pid);
  const identity = { pid, procStart, socketPath };
  const token = randomBytes(16).toString("hex");
  const inbox = await listenInbox({ socketPath, token, onFrame: takeFrame, onProblem: (problem) => process.stderr.write(`${problem}\n`) });
  writeKeyFile(claudeConfig, pid, socketPath, { peerToken: token, procStart, pidDomain: currentPidDomain() });
  new PeerRecord(claudeConfig, identity, { name, cwd: process.cwd(), version: "2.1.332" }, systemClock).write();
  return { name, identity, child, inbox, deliveries: new DeliveryQueues({ claudeConfig, clock: systemClock }), sent: 0 };
}

function takeFrame(frame: Frame): void {
  const arrivedNs = String(process.hrtime.bigint());
  const body = isUserFrame(frame) ? parseEnvelope(frame.message.content)?.body : undefined;
  // A command's message is prose.
  if (body?.startsWith("{")) arrivals.push({ ...JSON.parse(body), arrivedNs });
}

function nextFrame(member: CrowdMember): Frame {
  member.sent += 1;
  const body = JSON.stringify({ sender: member.name, number: member.sent, sentNs: String(process.hrtime.bigint()) });
  const from = socketAddress(member.identity.socketPath);
  return userFrame({ from, content: buildEnvelope({ from, fromName: member.name }, body) });
}

async function write(member: CrowdMember, target: PeerIdentity): Promise<void> {
  await member.deliveries.deliver(target, nextFrame(member));
}

/** As a session that knows its target: the time runs from the first byte, and not from what a session looks up before. */
async function writeAtOnce(member: CrowdMember, target: PeerIdentity, token: string): Promise<void> {
  const socket = net.connect({ path: target.socketPath, allowHalfOpen: true });
  await once(socket, "connect");
  socket.end(`${authLine(token)}\n${JSON.stringify(nextFrame(member))}\n`);
  await once(socket.resume(), "close");
}

function findTarget(name: string): PeerIdentity {
  const record = readRegistry(claudeConfig).find((entry) => entry.record?.name === name && !entry.unreachable)?.record;
  if (record?.procStart === undefined || record.messagingSocketPath === undefined) throw new Error(`nobody here is ${name}`);
  return { pid: record.pid, procStart: record.procStart, socketPath: record.messagingSocketPath };
}

function senders(count: number): [CrowdMember, ...CrowdMember[]] {
  const [first, ...others] = members.slice(0, count);
  if (first === undefined) throw new Error("the crowd is empty");
  return [first, ...others];
}

async function obey(order: CrowdOrder): Promise<unknown> {
  if (order.op === "arrivals") return arrivals.splice(0);
  if (order.op === "spread") return await spread(order.to.map(findTarget), order.rounds, order.roundMs);
  const target = findTarget(order.to);
  if (order.op === "burst") {
    const all = senders(order.senders);
    await Promise.all(Array.from({ length: order.messages }, (_, index) => write(all[index % all.length] ?? all[0], target)));
    return undefined;
  }
  const [sender] = senders(1);
  const token = readPeerToken(claudeConfig, target.pid, target.socketPath) ?? "";
  for (let count = 0; count < order.messages; count += 1) {
    await writeAtOnce(sender, target, token);
    await new Promise((resolve) => setTimeout(resolve, order.pauseMs));
  }
  return undefined;
}

/** A round that takes too long is followed by the next at once. */
async function spread(targets: readonly PeerIdentity[], rounds: number, roundMs: number): Promise<number> {
  const [sender] = senders(1);
  const startedMs = performance.now();
  for (let round = 1; round <= rounds; round += 1) {
    await Promise.all(targets.map((target) => write(sender, target)));
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, startedMs + round * roundMs - performance.now())));
  }
  return (performance.now() - startedMs) / 1000;
}

const [count = "1", prefix = "member"] = process.argv.slice(2);
ensurePrivateDirectory(sessionsDirectory(claudeConfig));
const members: CrowdMember[] = [];
process.on("exit", () => {
  for (const { identity, child } of members) {
    removePeerFiles(claudeConfig, identity);
    child.kill("SIGKILL");
  }
});
for (let index = 1; index <= Number(count); index += 1) members.push(await join(count === "1" ? prefix : `${prefix}-${index}`));
answerOrders(obey);
