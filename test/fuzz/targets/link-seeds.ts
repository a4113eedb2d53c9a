import { userFrame } from "../../../src/claude/frames.ts";
import type { Hello, LinkOp } from "../../../src/link/protocol.ts";

export const hello: Hello = {
  op: "hello",
  protocol: { min: 1, max: 1 },
  version: "1.0.0",
  commit: "c",
  machine: "other",
  label: "other",
  boot: "b",
  features: ["files"],
};

const member = { id: "7.8", pid: 7, procStart: "8", name: "api", cwd: "/srv", status: "idle", task: "t", startedAt: 1 };
const content = '<cross-session-message from="uds:/x" from-name="api" from-mode="bypass">\nhello\n</cross-session-message>';
const frame = userFrame({ from: "uds:/x", content, messageId: "m" });

const attachment = { path: "f", file_name: "x", file_size: 4, sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" };

/** Every op, as a well-meaning machine says it. Those that end a link come once, so that most hostile lines are read by a living one. */
export const linkSeeds: readonly (LinkOp | Hello)[] = [
  hello,
  { op: "resume", received: null },
  { op: "resume", received: { stream: "s", seq: 3 } },
  { op: "stream", stream: "s" },
  { op: "members", members: [member, { ...member, id: "9.9", pid: 9 }] },
  { op: "changed", put: [member], gone: ["9.9"] },
  ...[1, 2, 3, 4, 5, 6].map((seq) => ({ op: "frame" as const, seq, from: { member: "7.8" }, to: "1.2", frame })),
  { op: "frame", seq: 1, from: { person: "root" }, to: "1.2", frame },
  ...[1, 2, 3].map((seq) => ({ op: "outcome" as const, seq, of: 1, stream: "s", state: "written" as const })),
  { op: "ack", seq: 1_000_000 },
  { op: "ask", id: 1, question: { kind: "trace", messageId: "abcd" } },
  { op: "answer", id: 1, answer: [] },
  { op: "file", id: "f", name: "../x", size: 4, sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" },
  { op: "piece", id: "f", data: "dGVzdA==" },
  { op: "taken", id: "f", bytes: 4 },
  { op: "stored", id: "f" },
  { op: "unstored", id: "f", reason: "r" },
  { op: "frame", seq: 7, from: { member: "7.8" }, to: "1.2", frame: { ...frame, file_attachments: [attachment] } },
  { op: "ping" },
  { op: "pong" },
  { op: "problem", message: "m" },
];
