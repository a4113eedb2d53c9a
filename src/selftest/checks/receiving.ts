import { DELIVERY_DEADLINE_MS, deliver, deliverBatch, frameLine } from "../../claude/deliver.ts";
import { MAX_LINE_CHARACTERS } from "../../claude/frames.ts";
import { readPeerToken } from "../../claude/key-file.ts";
import { randomHex, randomUuid } from "../../core/random.ts";
import type { Check, Stage } from "../check.ts";
import { mustHold } from "../outcome.ts";
import { writeLines } from "../write-lines.ts";
import { haveHeld } from "./holding.ts";

const PROMPTING = { fromMode: "prompting" } as const;

/** Nothing that was written before this was heard, if it is heard and that was not: a session takes its messages in order. */
async function mustNotBeHeard({ asking, friend }: Stage, part: string): Promise<void> {
  const mark = `after ${part} ${randomHex(4)}`;
  await friend.send(asking.target, mark, PROMPTING);
  await asking.waitHeard(mark);
  mustHold(!asking.heard().some((text) => text.includes(`\n${part}\n`)), "the model was told it");
}

/** What we write, as a session takes it. */
export const receivingChecks: readonly Check[] = [
  {
    name: "receive.model",
    lane: "asking",
    relies: "what we write to a session's inbox is told to its model, the envelope as it was",
    async run({ asking, friend }) {
      const { message, ...frame } = friend.message("good morning", PROMPTING);
      await friend.deliver(asking.target, { ...frame, message });
      const heard = await asking.waitHeard("good morning");
      mustHold(heard.includes(message.content), `it is told ${heard}`);
    },
  },
  {
    name: "receive.close",
    lane: "inbox",
    relies: "a session hangs up once it has read what was written, well within the 5 s that we wait",
    async run({ asking, friend, home }) {
      const { pid, socketPath } = asking.target;
      const token = readPeerToken(home.claudeConfig, pid, socketPath);
      const tookMs: number[] = [];
      for (const word of ["how long?", "and this?", "and that?"]) {
        const startMs = performance.now();
        await deliver({ socketPath, token, frame: friend.message(word, PROMPTING) });
        tookMs.push(Math.round(performance.now() - startMs));
      }
      // The shortest: a machine that is busy makes the others longer.
      mustHold(Math.min(...tookMs) < DELIVERY_DEADLINE_MS, `it took ${tookMs.join(", ")} ms`);
      return `${Math.min(...tookMs)} ms`;
    },
  },
  {
    name: "receive.batch",
    lane: "inbox",
    relies: "several frames through one connection are taken in their order",
    async run({ asking, friend, home }) {
      const { pid, socketPath } = asking.target;
      const words = ["one of three", "two of three", "three of three"];
      const since = asking.heard().length;
      const frames = words.map((word) => friend.message(word, PROMPTING));
      await deliverBatch({
        socketPath,
        token: () => readPeerToken(home.claudeConfig, pid, socketPath),
        lines: frames.map((frame) => frameLine(frame)),
      });
      await asking.waitHeard("three of three", { since });
      const heard = asking.heard().slice(since).join("\n");
      const order = words.map((word) => heard.indexOf(word));
      mustHold(
        order.every((place, index) => place > (order[index - 1] ?? -1)),
        `they are heard at ${order.join(", ")}`,
      );
    },
  },
  {
    name: "receive.opaque",
    lane: "bold",
    relies: "an envelope with its attributes out of order is opaque text: its sender's mode does not count",
    async run({ bold, peer }) {
      const sender = await peer("crooked");
      const frame = sender.message("out of order", { fromMode: "bypass" });
      const content = frame.message.content.replace(/( from-name="[^"]*")( from-mode="[^"]*")/, "$2$1");
      await haveHeld(bold, sender, { ...frame, message: { role: "user", content } }, "Deny");
    },
  },
  {
    name: "receive.session-id",
    lane: "inbox",
    relies: "a frame with the session_id of another session is dropped without a word; with the right one it is taken",
    async run(stage) {
      const { asking, friend } = stage;
      await friend.deliver(asking.target, { ...friend.message("for another", PROMPTING), session_id: randomUuid() });
      await friend.deliver(asking.target, { ...friend.message("for you", PROMPTING), session_id: asking.record.sessionId });
      await asking.waitHeard("for you");
      await mustNotBeHeard(stage, "for another");
    },
  },
  {
    name: "receive.type",
    lane: "inbox",
    relies: "a frame of a type that is not known is dropped without a word",
    async run(stage) {
      const { asking, friend } = stage;
      await friend.deliver(asking.target, { ...friend.message("of no type", PROMPTING), type: "letter" });
      await mustNotBeHeard(stage, "of no type");
    },
  },
  {
    name: "receive.token",
    lane: "inbox",
    relies: "the token is no barrier: a frame after a wrong one, or none, is taken as any other of this user",
    async run({ asking, friend }) {
      const { socketPath } = asking.target;
      await deliver({ socketPath, token: randomHex(16), frame: friend.message("with a wrong token", PROMPTING) });
      await asking.waitHeard("with a wrong token");
      await deliver({ socketPath, token: undefined, frame: friend.message("with no token", PROMPTING) });
      await asking.waitHeard("with no token");
    },
  },
  {
    name: "receive.limit",
    lane: "inbox",
    relies: "a line of over 1,048,576 characters is not taken, and the session takes the next one",
    async run(stage) {
      const { asking, friend, home } = stage;
      const { pid, socketPath } = asking.target;
      const frame = friend.message(`too long\n${"x".repeat(MAX_LINE_CHARACTERS)}`, PROMPTING);
      await writeLines(socketPath, [{ type: "auth", token: readPeerToken(home.claudeConfig, pid, socketPath) }, frame]);
      await mustNotBeHeard(stage, "too long");
    },
  },
];
