import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { readProcStart } from "../../../src/claude/process-identity.ts";
import { openRegistryView } from "../../../src/claude/registry-view.ts";
import { parseSessionRecord } from "../../../src/claude/session-record.ts";
import { LocalMembers } from "../../../src/members/local-members.ts";
import type { FuzzTarget } from "../run-fuzz.ts";

/** So many of a batch are files of a registry that is read; all are parsed. */
const FILES = 50;
const GOOD_PID = process.pid;

/** A registry full of records as nobody wrote them: the good one among them is seen all the same. */
export async function openRegistryTarget(): Promise<FuzzTarget> {
  const claudeConfig = fs.mkdtempSync(path.join(os.tmpdir(), "r-"));
  const sessions = path.join(claudeConfig, "sessions");
  fs.mkdirSync(sessions);
  const good = { pid: GOOD_PID, procStart: readProcStart(GOOD_PID), name: "good", messagingSocketPath: "/nowhere" };
  const write = (pid: number, content: string | Buffer) => fs.writeFileSync(path.join(sessions, `${pid}.json`), content);
  write(GOOD_PID, JSON.stringify(good));
  const view = openRegistryView({ claudeConfig });
  const members = new LocalMembers(view);
  return {
    seeds: [{ ...good, sessionId: "s", kind: "interactive", peerFeatures: ["a"], peerProtocol: 1, pidDomain: "x", startedAt: 1 }],
    oversizeBytes: 5_000_000,
    feed: async (lines) => {
      for (const line of lines) parseSessionRecord(line.toString("utf8"));
      for (const [index, line] of lines.slice(0, FILES).entries()) write(2_000_000_000 + index, line);
      view.refresh();
      members.refresh();
      const found = view.entries().find(({ pid }) => pid === GOOD_PID);
      if (found?.record?.name !== "good" || found.unreachable?.reason !== "socket_missing")
        throw new Error(`lost: ${JSON.stringify(found)}`);
      if (view.entries().length !== FILES + 1) throw new Error(`${view.entries().length} entries`);
    },
    close: async () => {
      members.close();
      view.close();
      fs.rmSync(claudeConfig, { recursive: true, force: true });
    },
  };
}
