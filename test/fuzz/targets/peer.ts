import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { duplexPair } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { systemClock } from "../../../src/core/clock.ts";
import { LinkConnection } from "../../../src/link/connection.ts";
import type { OpenMirror } from "../../../src/link/mirrors.ts";
import { Peer } from "../../../src/link/peer.ts";
import { MAX_LINK_LINE_BYTES, MAX_MEMBERS_PER_PEER } from "../../../src/link/protocol.ts";
import type { LocalMembers } from "../../../src/members/local-members.ts";
import { MirrorNames } from "../../../src/members/mirror-names.ts";
import { eventually } from "../../support/eventually.ts";
import type { FuzzTarget } from "../run-fuzz.ts";
import { hello, linkSeeds } from "./link-seeds.ts";

const GOOD_FRAME = { op: "frame", seq: 1, from: { member: "good.1" }, to: "1.2", frame: { type: "user", msg_id: "good" } };

/** A peer with its exchange and mirrors that are none: after what is hostile a frame of a good machine must be written and reported. */
export async function openPeerTarget(): Promise<FuzzTarget> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "t-"));
  let peer = makePeer(directory);
  let batch = 0;
  return {
    seeds: linkSeeds,
    oversizeBytes: MAX_LINK_LINE_BYTES + 1,
    feed: async (lines) => {
      const hostile = attach(peer);
      for (const line of lines) {
        if (hostile.isEnded()) break;
        hostile.write(line);
        if (Math.random() < 0.01) void peer.send({ person: "me" }, "7.8", { type: "user", msg_id: "out" });
        await setImmediate();
      }
      if (peer.memberCount > MAX_MEMBERS_PER_PEER) throw new Error(`${peer.memberCount} members`);
      await hostile.end();
      if (peer.state.name === "gone") peer = makePeer(directory);
      const good = attach(peer);
      const stream = `good ${++batch}`;
      for (const op of [
        { op: "resume", received: null },
        { op: "stream", stream },
        { op: "members", members: [{ id: "good.1", pid: 1, procStart: "1", name: "good" }] },
        GOOD_FRAME,
      ])
        good.write(Buffer.from(JSON.stringify(op)));
      const isReported = () => good.said().some((line) => line.includes(`"stream":"${stream}"`) && line.includes('"state":"written"'));
      await eventually(isReported, { what: "the outcome of the good frame", deadlineMs: 10_000 });
      good.write(Buffer.from('{"op":"ack","seq":1000000}'));
      await setImmediate();
      await good.end();
    },
    close: async () => {
      await peer.close("done", true);
      fs.rmSync(directory, { recursive: true });
    },
  };
}

function attach(peer: Peer) {
  const [ours, theirs] = duplexPair();
  for (const side of [ours, theirs]) side.on("error", () => undefined);
  const connection = new LinkConnection({ stream: { readable: ours, writable: ours, close: () => ours.destroy() } });
  const said: string[] = [];
  theirs.setEncoding("utf8").on("data", (text: string) => said.push(...text.split("\n")));
  let isEnded = false;
  void connection.closed.then(() => {
    isEnded = true;
  });
  theirs.write(`${JSON.stringify(hello)}\n`);
  void connection.ready.then(() => peer.attach(connection, hello, "answered"));
  return {
    said: () => said,
    isEnded: () => isEnded,
    write: (line: Buffer) => theirs.write(Buffer.concat([line, Buffer.from("\n")])),
    end: async () => {
      theirs.end();
      await connection.closed;
      theirs.destroy();
    },
  };
}

function makePeer(claudeConfig: string): Peer {
  const target = { pid: 1, procStart: "2", socketPath: "/x" };
  const localMembers = {
    all: new Map(),
    target: (id: string) => (id === "1.2" ? target : undefined),
    bySocket: () => undefined,
    hasName: () => false,
    refresh: () => undefined,
  } as unknown as LocalMembers;
  return new Peer({
    machineId: "other",
    label: "other",
    claudeConfig,
    localMembers,
    names: new MirrorNames(() => false),
    openMirror: openNothing,
    clock: systemClock,
    graceMs: 60_000,
    attestation: () => "strip",
    events: {
      onLinked: () => undefined,
      onUnlinked: () => undefined,
      onGone: () => undefined,
      onState: () => undefined,
      onFile: () => undefined,
      onProblem: () => undefined,
      onQuestion: async (question) => question,
    },
  });
}

/** A mirror that takes everything and is no process. */
const openNothing: OpenMirror = () => {
  const mirror = { pid: 3, procStart: "4", socketPath: "/m", address: "uds:/m" };
  return {
    state: { kind: "ready", mirror },
    ready: Promise.resolve(mirror),
    update: (record) => void JSON.stringify(record),
    deliver: async (_target, frame) => void JSON.stringify(frame),
    close: async () => undefined,
  };
};
