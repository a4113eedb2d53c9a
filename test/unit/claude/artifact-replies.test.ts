import assert from "node:assert/strict";
import { test } from "node:test";
import { ArtifactReplies } from "../../../src/claude/artifact-replies.ts";
import type { ControlFrame } from "../../../src/claude/frames.ts";

const conversation = "5d3f";
const nowMs = 1_000_000;

function pair() {
  const holder = new ArtifactReplies("uds:/1.sock", conversation);
  const asker = new ArtifactReplies("uds:/2.sock", conversation);
  holder.hold(["report", "chart"]);
  return { holder, asker };
}

test("what is held is handed over once, the rest is named as not held; and it can be handed back", () => {
  const { holder, asker } = pair();
  const request = asker.request(["report", "map"], "resume", nowMs);
  const given = holder.yield(request, { sessionId: conversation, nowMs });
  assert.deepEqual(
    [given?.answer["orig_msg_id"], given?.answer["yielded"], given?.answer["not_held"]],
    [request.msg_id, ["report"], ["map"]],
  );
  assert.deepEqual(holder.held, ["chart"]);
  asker.hold(given?.yielded ?? []);
  const back = asker.handBack(request.msg_id ?? "", ["report"]);
  assert.deepEqual(holder.takeBack(back, { sessionId: conversation }), ["report"]);
  assert.deepEqual([asker.held, holder.held], [[], ["chart", "report"]]);
});

const refused: readonly (readonly [string, Partial<ControlFrame>, string | undefined, number])[] = [
  ["whose record is of another conversation", {}, "other", nowMs],
  ["who has no record", {}, undefined, nowMs],
  ["for another conversation", { session_id: "other" }, conversation, nowMs],
  ["that is more than 4 s old", {}, conversation, nowMs + 4_001],
  ["for more than 16 artifacts", { slugs: Array(17).fill("report") }, conversation, nowMs],
  ["for what are no names", { slugs: ["report", 1] }, conversation, nowMs],
  ["without artifacts", { slugs: undefined }, conversation, nowMs],
];
for (const [what, fields, sessionId, atMs] of refused) {
  test(`a request ${what} is not answered, and nothing is given away`, () => {
    const { holder, asker } = pair();
    const request = { ...asker.request(["report"], "claim", nowMs), ...fields };
    assert.equal(holder.yield(request, { sessionId, nowMs: atMs }), undefined);
    assert.deepEqual(holder.held, ["report", "chart"]);
  });
}
