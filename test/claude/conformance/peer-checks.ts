import type { Check, Stage } from "../../../src/selftest/check.ts";
import type { ClaudeSession } from "../../../src/selftest/claude-session.ts";
import { mustEqual, mustHold } from "../../../src/selftest/outcome.ts";
import { PeerProgram } from "./peer-program.ts";

const PROMPTING = ["--permission-mode", "default"];
const NOTICE = "[Cross-session delivery notice]";

const writers = new WeakMap<Stage, Promise<ClaudeSession>>();

/** A prompting session that these checks have to themselves. */
function writerOf(stage: Stage): Promise<ClaudeSession> {
  const writer = writers.get(stage) ?? stage.session("extra-5", PROMPTING);
  writers.set(stage, writer);
  return writer;
}

/** Has a session write to a `ccm peer`, and returns how much its model had been told before. */
async function write(session: ClaudeSession, peer: PeerProgram, message: string): Promise<number> {
  const since = session.heard().length;
  const told = await session.callTool("SendMessage", { to: peer.name, message, summary: "a test" });
  mustHold(/"success":true/.test(told), `SendMessage says ${told}`);
  return since;
}

async function mustBeTold(session: ClaudeSession, since: number, words: RegExp): Promise<void> {
  await session.waitHeard(new RegExp(`${NOTICE.replace(/[[\]]/g, "\\$&")}.*${words.source}`, "s"), { since });
}

/** Starts a peer, waits until it is listed, and ends it after the work. */
async function withPeer(stage: Stage, name: string, args: readonly string[], work: (peer: PeerProgram) => Promise<void>): Promise<void> {
  const peer = new PeerProgram(stage, name, args);
  try {
    await peer.event("ready");
    await work(peer);
  } finally {
    await peer.close();
  }
}

/** The other way round: Claude Code writes, `ccm peer` judges, and Claude Code's model is told as by another Claude Code. */
export const peerChecks: readonly Check[] = [
  {
    name: "peer.decides",
    lane: "peer",
    relies: "what ccm peer holds, denies and releases is told to the sender's model",
    run: (stage) =>
      withPeer(stage, "judge", ["--inbound", "hold"], async (judge) => {
        const writer = await writerOf(stage);
        for (const [text, op, words] of [
          ["may I?", "deny", /denied/],
          ["and now?", "release", /approved and released/],
        ] as const) {
          const since = await write(writer, judge, text);
          await mustBeTold(writer, since, /held/);
          judge.tell({ op, message: (await judge.event("held", text)).id });
          await mustBeTold(writer, since, words);
        }
        await judge.event("message", "and now?");
      }),
  },
  {
    name: "peer.expires",
    lane: "peer",
    relies: "what ccm peer still holds when it ends expires, and the sender's model is told",
    async run(stage) {
      const writer = await writerOf(stage);
      let since = 0;
      await withPeer(stage, "leaver", ["--inbound", "hold"], async (leaver) => {
        since = await write(writer, leaver, "before you go");
        await leaver.event("held", "before you go");
      });
      await mustBeTold(writer, since, /not approved before expiry/);
    },
  },
  {
    name: "peer.parity",
    lane: "peer",
    relies: "ccm peer of the class prompting takes what a prompting session writes",
    run: (stage) =>
      withPeer(stage, "equal", ["--inbound", "parity", "--mode", "prompting"], async (equal) => {
        await write(await writerOf(stage), equal, "from one like you");
        await equal.event("message", "from one like you");
      }),
  },
  {
    name: "peer.mismatch",
    lane: "bold",
    relies: "ccm peer of the class prompting holds what a session writes that bypasses prompts, whose model is told",
    run: (stage) =>
      withPeer(stage, "unlike", ["--inbound", "parity", "--mode", "prompting"], async (unlike) => {
        const since = await write(stage.bold, unlike, "from who asks nobody");
        mustEqual((await unlike.event("held", "from who asks nobody")).cause, "mode-mismatch", "the cause");
        await mustBeTold(stage.bold, since, /held/);
      }),
  },
  {
    name: "peer.refuses",
    lane: "peer",
    relies: "ccm peer that takes nothing is told as a session that accepts no messages",
    run: (stage) =>
      withPeer(stage, "closed", ["--inbound", "refuse"], async (closed) => {
        const since = await write(await writerOf(stage), closed, "open up");
        await mustBeTold(await writerOf(stage), since, /was refused.*not accepting/);
      }),
  },
  {
    name: "peer.drops",
    lane: "peer",
    relies: "ccm peer drops a duplicate, and the sender's model is told which rule it was",
    run: (stage) =>
      withPeer(stage, "once", [], async (once) => {
        await write(await writerOf(stage), once, "only once");
        await once.event("message", "only once");
        const since = await write(await writerOf(stage), once, "only once");
        await mustBeTold(await writerOf(stage), since, /NOT delivered \(it repeated your previous message\)/);
      }),
  },
  {
    name: "peer.idle",
    lane: "peer",
    relies: "ccm peer answers notify_when_idle when it is idle again, and the asking session's screen says so",
    run: (stage) =>
      withPeer(stage, "worker", [], async (worker) => {
        worker.tell({ op: "status", status: "busy" });
        const message = { to: "worker", message: "tell me when", summary: "asks", notify_when_idle: true };
        const writer = await writerOf(stage);
        const since = writer.terminal.position;
        mustHold(/"success":true/.test(await writer.callTool("SendMessage", message)), "SendMessage failed");
        await worker.event("message", "tell me when");
        worker.tell({ op: "status", status: "idle", detail: "all done" });
        // Only what changes is drawn, so a letter that stood there before is missing: either part of the notice will do.
        await writer.waitShown(/worker\s+is\s+idle|all\s+done/, since);
      }),
  },
  {
    name: "peer.same-words",
    lane: "bold",
    relies: "a notice about ccm peer reads as one about a session of Claude Code",
    run: (stage) =>
      withPeer(stage, "other", ["--inbound", "hold"], async (other) => {
        const { bold } = stage;
        const native = await stage.session("extra-6", PROMPTING);
        const notices: string[] = [];
        for (const to of [other.name, native.name]) {
          const since = bold.heard().length;
          await bold.callTool("SendMessage", { to, message: `to ${to}`, summary: "a test" });
          const told = await bold.waitHeard(NOTICE, { since });
          notices.push(told.replace(/uds:\S+?\.sock/g, "ADDRESS").replace(/msg_id: [0-9a-f-]+/g, "msg_id: ID"));
        }
        mustEqual(notices[0], notices[1], "the notice");
      }),
  },
];
