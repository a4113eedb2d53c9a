import "../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { authLine } from "../../src/claude/auth-line.ts";
import { buildEnvelope } from "../../src/claude/envelope.ts";
import { type Frame, MAX_LINE_CHARACTERS, userFrame } from "../../src/claude/frames.ts";
import { readPeerToken } from "../../src/claude/key-file.ts";
import { eventually } from "../support/eventually.ts";
import { pairOfMachines } from "../support/pair-of-machines.ts";

const timeout = 120_000;
const DEADLINE = { deadlineMs: 30_000 };
const PARTS = { ascii: "x", cjk: "作", escaped: '"\\\n', pairs: "😀" } as const;

const digest = (text: string) => createHash("sha256").update(text).digest("hex");

/** A body of so many characters, that begins with a word of its own. */
function bodyOf(characters: number, part: string): string {
  return `${randomUUID()} ${part.repeat(Math.ceil(characters / part.length))}`.slice(0, characters - (characters % 2)).toWellFormed();
}

for (const [kind, part] of Object.entries(PARTS)) {
  test(`T5 bodies of 1 KB, 5 KB, 64 KB and 900 KB (${kind}) arrive as they were sent, both ways`, { timeout }, async (context) => {
    const { webUi, api } = await pairOfMachines(context);
    // What JSON escapes takes twice the place on the wire.
    const sizes = [1_000, 5_000, 64_000, kind === "escaped" ? 450_000 : 900_000];
    const bodies = sizes.map((size) => bodyOf(size, part));
    for (const body of bodies) await webUi.send("server-api", body);
    for (const body of bodies) await api.send("laptop-web-ui", body);
    for (const session of [api, webUi]) {
      await eventually(() => session.messages.length === sizes.length, DEADLINE);
      assert.deepEqual(
        session.messages.map(({ envelope }) => digest(envelope.body)),
        bodies.map(digest),
      );
    }
  });
}

/** A frame that takes exactly so many characters on the wire, the token's line included. */
async function frameOfLine(context: TestContext, characters: number) {
  const { laptop, webUi, api } = await pairOfMachines(context);
  const mirror = await laptop.mirror("server-api");
  const token = readPeerToken(laptop.paths.claudeConfig, mirror.pid, mirror.messagingSocketPath ?? "") ?? "";
  const frame = (body: string): Frame =>
    userFrame({ from: webUi.address, content: buildEnvelope({ from: webUi.address, fromName: "web-ui" }, body), messageId: "sized" });
  const around = `${authLine(token)}\n${JSON.stringify(frame(""))}\n`.length;
  const body = "x".repeat(characters - around);
  return { webUi, api, body, frame: frame(body) };
}

for (const over of [-1_000, -1, 0]) {
  test(`T5 a line ${-over} under the limit arrives as it was sent, or its sender is told the size and the limit`, {
    timeout,
  }, async (context) => {
    const { webUi, api, body, frame } = await frameOfLine(context, MAX_LINE_CHARACTERS + over);
    await webUi.order({ op: "write", to: "server-api", frame });
    await eventually(() => api.messages.length + webUi.receipts("sized").length > 0, DEADLINE);
    const [message] = api.messages;
    if (message) return assert.equal(digest(message.envelope.body), digest(body));
    // With the mirror's address and name in it, which are longer, it is over the limit there.
    const [receipt] = webUi.receipts("sized");
    assert.equal(receipt?.status, "dropped");
    assert.match(receipt?.reason ?? "", new RegExp(`takes 10[0-9]{5} characters .*limit is ${MAX_LINE_CHARACTERS}`));
    assert.deepEqual(api.frames, []);
  });
}

test("T5 a line one over the limit is refused before anything is written, with its size and the limit", { timeout }, async (context) => {
  const { webUi, api, frame } = await frameOfLine(context, MAX_LINE_CHARACTERS + 1);
  await assert.rejects(webUi.order({ op: "write", to: "server-api", frame }), {
    code: "too_large",
    message: new RegExp(`${MAX_LINE_CHARACTERS + 1} characters .*limit is ${MAX_LINE_CHARACTERS}`),
  });
  await webUi.send("server-api", "after it");
  await api.message("after it");
  assert.equal(api.frames.length, 1);
});
