import assert from "node:assert/strict";
import { test } from "node:test";
import { type AddressedNotice, IdleSubscriptions, idleSubscription, MAX_SUBSCRIPTIONS } from "../../../src/claude/idle-subscriptions.ts";

const own = "uds:/tmp/cc-socks/1.sock";
const asker = "uds:/tmp/cc-socks/2.sock";
const told = ({ to, notice }: AddressedNotice) => [to, notice.state, notice.orig_msg_id, notice.finished_at, notice.detail];

test("who asks an idle session is told at once, and not again", () => {
  const subscriptions = new IdleSubscriptions(own, "prompting");
  const question = idleSubscription(asker);
  const answer = subscriptions.ask(question, { finishedAt: 7, detail: "done" });
  assert.deepEqual(answer && told(answer), [asker, "idle", question.msg_id, 7, "done"]);
  assert.deepEqual([answer?.notice.from, answer?.notice["from_mode"]], [own, "prompting"]);
  assert.deepEqual(subscriptions.tellAll("idle", { finishedAt: 8 }), []);
});

test("who asks a busy session is told once when it is idle; of two questions the last counts", () => {
  const subscriptions = new IdleSubscriptions(own);
  const [first, second] = [idleSubscription(asker), idleSubscription(asker)];
  assert.deepEqual([subscriptions.ask(first, undefined), subscriptions.ask(second, undefined)], [undefined, undefined]);
  assert.deepEqual(subscriptions.tellAll("idle", { finishedAt: 9 }).map(told), [[asker, "idle", second.msg_id, 9, undefined]]);
  assert.deepEqual(subscriptions.tellAll("exited", { finishedAt: 9 }), []);
});

test("who still waits when the session ends is told that; a question without an address is nobody's", () => {
  const subscriptions = new IdleSubscriptions(own);
  const { from: _from, ...nobody } = idleSubscription(asker);
  subscriptions.ask(nobody, undefined);
  subscriptions.ask(idleSubscription(asker), undefined);
  assert.deepEqual(
    subscriptions.tellAll("exited", { finishedAt: 1 }).map(({ to, notice }) => [to, notice.state]),
    [[asker, "exited"]],
  );
});

test("no more than 256 wait", () => {
  const subscriptions = new IdleSubscriptions(own);
  for (let index = 0; index <= MAX_SUBSCRIPTIONS; index += 1) subscriptions.ask(idleSubscription(`uds:/${index}`), undefined);
  const waiting = subscriptions.tellAll("idle", { finishedAt: 1 });
  assert.deepEqual([waiting.length, waiting[0]?.to], [MAX_SUBSCRIPTIONS, "uds:/1"]);
});
