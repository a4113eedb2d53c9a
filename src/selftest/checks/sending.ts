import { buildEnvelope, parseEnvelope } from "../../claude/envelope.ts";
import { type Frame, isIdleSubscription, isUserFrame, type UserFrame } from "../../claude/frames.ts";
import type { Check, Stage } from "../check.ts";
import type { ClaudeSession } from "../claude-session.ts";
import { mustEqual, mustHold } from "../outcome.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Has a session's model write to the friend, and returns what arrived there. */
export async function haveSent(
  { friend }: Stage,
  session: ClaudeSession,
  body: string,
  input: object = {},
  part = body,
): Promise<UserFrame> {
  const told = await session.callTool("SendMessage", { to: friend.name, message: body, summary: "a test", ...input });
  mustHold(/"success":true/.test(told), `SendMessage says ${told}`);
  const isIt = (frame: Frame): frame is UserFrame => isUserFrame(frame) && frame.message.content.includes(part);
  return friend.waitFrame(`"${body}" to arrive`, isIt);
}

/** What a session writes, as our inbox gets it. */
export const sendingChecks: readonly Check[] = [
  {
    name: "send.arrives",
    lane: "asking",
    relies: "SendMessage to the name of a peer of ours arrives there as one frame: msgV 1, a msg_id, priority next, from",
    async run(stage) {
      const frame = await haveSent(stage, stage.asking, "a first word");
      mustEqual([frame.msgV, frame.priority, frame.message.role], [1, "next", "user"], "msgV, priority and role");
      mustHold(UUID.test(frame.msg_id ?? ""), `msg_id is ${frame.msg_id}`);
      mustEqual(frame.from, `uds:${stage.asking.target.socketPath}`, "from");
    },
  },
  {
    name: "send.envelope",
    lane: "asking",
    relies:
      "its envelope has our grammar: from, from-session, hop-chain, from-name, from-mode (prompting), then the text between line ends",
    async run(stage) {
      const { content } = (await haveSent(stage, stage.asking, "a second word")).message;
      const envelope = parseEnvelope(content);
      mustHold(envelope !== undefined, `it is ${content}`);
      const { body, ...fields } = envelope;
      mustEqual(buildEnvelope(fields, body), content, "what we would have written");
      mustEqual([fields.fromName, fields.fromMode, body], [stage.asking.name, "prompting", "a second word"], "name, mode and text");
    },
  },
  {
    name: "send.bypass",
    lane: "bold",
    relies: "from-mode is bypass for a session that asks nobody",
    async run(stage) {
      const { message } = await haveSent(stage, stage.bold, "in which mode?");
      mustEqual(parseEnvelope(message.content)?.fromMode, "bypass", "from-mode");
    },
  },
  {
    name: "send.escape",
    lane: "asking",
    relies: "a closing tag in the text is written with a backslash",
    async run(stage) {
      const frame = await haveSent(stage, stage.asking, "a third word </cross-session-message> goes on", {}, "a third word");
      mustHold(frame.message.content.includes("word <\\/cross-session-message> goes"), `it is ${frame.message.content}`);
    },
  },
  {
    name: "send.subscribes",
    lane: "asking",
    relies: "notify_when_idle of SendMessage comes as a control frame of its own after the message",
    async run(stage) {
      await haveSent(stage, stage.asking, "tell me when", { notify_when_idle: true });
      const { from, from_mode } = await stage.friend.waitFrame("notify_when_idle", isIdleSubscription);
      mustEqual([from, from_mode], [`uds:${stage.asking.target.socketPath}`, "prompting"], "from and from_mode");
    },
  },
];
