import assert from "node:assert/strict";
import { test } from "node:test";
import { statusReceipt, userFrame } from "../../../src/claude/frames.ts";
import { stateChanges } from "../../../src/link/message-state.ts";

const from = "uds:/run/cc-socks/7.sock";

test("a message's own state is the message's", () => {
  const frame = userFrame({ from, content: "hello", messageId: "one" });
  assert.deepEqual(stateChanges(frame, "queued", "the link is down"), [{ messageId: "one", state: "queued", reason: "the link is down" }]);
});

test("a receipt that got there says what became of the message that it is about; on its way it says nothing", () => {
  const receipt = statusReceipt({ from, status: "held", messageId: "one", reason: "for\u001b[31m approval" });
  assert.deepEqual(stateChanges(receipt, "queued"), []);
  assert.deepEqual(stateChanges(receipt, "written"), [{ messageId: "one", state: "held", reason: "for approval" }]);
  const refusal = { ...statusReceipt({ from, status: "expired", messageId: "one" }), status_detail: "refused" };
  assert.deepEqual(stateChanges(refusal, "written"), [{ messageId: "one", state: "refused", reason: "refused" }]);
});

test("a receipt for several dropped messages, as Claude Code gathers them, is one for each", () => {
  const receipt = { ...statusReceipt({ from, status: "dropped", messageId: "three" }), drop_reason: "rate-limited" };
  const gathered = { ...receipt, dropped_msg_ids: ["one", "two", "three"] };
  assert.deepEqual(
    stateChanges(gathered, "written").map(({ messageId, state, reason }) => [messageId, state, reason]),
    ["three", "one", "two"].map((id) => [id, "dropped", "rate-limited"]),
  );
  const hostile = { ...receipt, dropped_msg_ids: [7, null, ...Array.from({ length: 5_000 }, (_, index) => `id ${index}`)] as string[] };
  assert.equal(stateChanges(hostile, "written").length, 501);
});
