import assert from "node:assert/strict";
import { test } from "node:test";
import { Admission, type Arrival, type Verdict } from "../../../../src/claude/admission/admission.ts";
import { type InboundPolicy, judgeConsent, type ModeClass } from "../../../../src/claude/admission/consent.ts";
import { verdictReceipt } from "../../../../src/claude/admission/receipts.ts";
import { isSelfSent } from "../../../../src/claude/admission/self-sent.ts";
import { buildEnvelope } from "../../../../src/claude/envelope.ts";
import { userFrame } from "../../../../src/claude/frames.ts";
import { ManualClock } from "../../../support/manual-clock.ts";

const from = "uds:/tmp/cc-socks/1.sock";
const ownToken = "f".repeat(24);

function arrival(
  body: string,
  fields: { hopChain?: string; fromMode?: string; sender?: string } = {},
  more: Partial<Arrival> = {},
): Arrival {
  const { sender = from, ...envelope } = fields;
  const frame = userFrame({ from: sender, content: buildEnvelope({ from: sender, ...envelope }, body) });
  return { frame, isSelfSent: false, ownToken, sessionId: "mine", queued: 0, ...more };
}

function words(verdict: Verdict): string {
  if (verdict.kind === "drop") return `drop ${verdict.reason}`;
  return verdict.kind === "hold" ? `hold ${verdict.cause}` : verdict.kind;
}

function admission(clock = new ManualClock(), policy: InboundPolicy = "accept") {
  return new Admission({ policy, clock });
}

const chain = (length: number) => Array.from({ length }, (_, index) => index.toString(16).padStart(24, "0")).join(",");
const verdicts: readonly (readonly [string, Arrival, string])[] = [
  ["a plain message", arrival("x"), "accept"],
  ["one with 28 hops", arrival("x", { hopChain: chain(28) }), "accept"],
  ["one with 29 hops", arrival("x", { hopChain: chain(29) }), "drop hop-runaway"],
  ["one that was here 10 times", arrival("x", { hopChain: Array(10).fill(ownToken).join(",") }), "drop hop-loop"],
  ["the 51st that waits to be read", arrival("x", {}, { queued: 50 }), "drop queue-full"],
  ["one for this session", { ...arrival("x"), frame: { ...arrival("x").frame, session_id: "mine" } }, "accept"],
  ["one for another session", { ...arrival("x"), frame: { ...arrival("x").frame, session_id: "other" } }, "ignore"],
  ["opaque text", { ...arrival("x"), frame: userFrame({ from, content: "<x>" }) }, "accept"],
];
for (const [what, message, expected] of verdicts) {
  test(`${what}: ${expected}`, () => assert.equal(words(admission().judge(message)), expected));
}

test("a message is a duplicate under another id too, and is none when it was not taken the first time", () => {
  const clock = new ManualClock();
  const judged = admission(clock);
  const say = (body: string, more: Partial<Arrival> = {}) => words(judged.judge(arrival(body, {}, more)));
  assert.deepEqual([say("a"), say("a"), say("b", { queued: 50 }), say("b")], ["accept", "drop duplicate", "drop queue-full", "accept"]);
  clock.advance(30_000);
  assert.equal(say("a"), "accept");
});

test("of 35 at once 30 are taken; a duplicate costs its sender nothing", () => {
  const judged = admission();
  judged.judge(arrival("0"));
  for (let index = 0; index < 100; index += 1) assert.equal(words(judged.judge(arrival("0"))), "drop duplicate");
  const results = Array.from({ length: 34 }, (_, index) => words(judged.judge(arrival(String(index + 1)))));
  assert.deepEqual(
    [results.filter((result) => result === "accept").length, results.filter((result) => result === "drop rate-limited").length],
    [29, 5],
  );
  assert.equal(words(judged.judge(arrival("0", { sender: "uds:/tmp/cc-socks/2.sock" }))), "accept");
});

test("who names another sender in the envelope than in the frame has declared no mode", () => {
  const judged = new Admission({ policy: "parity", ownMode: "bypass", clock: new ManualClock() });
  const message = arrival("x", { fromMode: "bypass" });
  assert.equal(words(judged.judge({ ...message, frame: { ...message.frame, from: "uds:/tmp/cc-socks/2.sock" } })), "hold no-mode-asserted");
  assert.equal(words(judged.judge(message)), "accept");
});

type Mode = ModeClass | undefined;
const consents: readonly (readonly [InboundPolicy, Mode, Mode, boolean, string])[] = [
  // policy, receiver, sender, self-sent
  ["parity", "bypass", "bypass", false, "accept"],
  ["parity", "bypass", "prompting", false, "hold mode-mismatch"],
  ["parity", "bypass", undefined, false, "hold no-mode-asserted"],
  ["parity", "bypass", undefined, true, "accept"],
  ["parity", "prompting", "bypass", false, "hold mode-mismatch"],
  ["parity", "prompting", "prompting", false, "accept"],
  ["parity", "prompting", undefined, false, "accept"],
  ["parity", undefined, "bypass", false, "hold mode-mismatch"],
  ["parity", undefined, undefined, false, "accept"],
  ["accept", "bypass", undefined, false, "accept"],
  ["accept", "prompting", "bypass", false, "accept"],
  ["hold", "bypass", "bypass", false, "hold policy"],
  ["hold", "bypass", "bypass", true, "accept"],
  ["refuse", "bypass", "bypass", false, "refuse"],
  ["refuse", "bypass", "bypass", true, "refuse"],
];
for (const [policy, ownMode, senderMode, self, expected] of consents) {
  const sender = `${senderMode ?? "a sender of no mode"}${self ? ", its own" : ""}`;
  test(`policy ${policy}, a receiver that is ${ownMode ?? "of no mode"}, ${sender}: ${expected}`, () => {
    assert.equal(words(judgeConsent({ policy, ownMode, senderMode, isSelfSent: self })), expected);
  });
}

const tree: Readonly<Record<number, number[]>> = { 20: [10, 2], 10: [2], 30: [3], 40: [] };
const otherSession = 50;
const lineages: readonly (readonly [string, "peer" | "child", number | undefined, boolean])[] = [
  ["a process below it", "peer", 20, true],
  ["the process itself", "peer", 10, true],
  ["a process of somebody else", "peer", 30, false],
  ["an unknown process", "peer", undefined, false],
  ["an unknown process with its child token", "child", undefined, true],
  ["an orphaned process with its child token", "child", 40, true],
  ["a process elsewhere with its child token", "child", 30, true],
  ["another session with its child token", "child", otherSession, false],
];
for (const [who, credential, pid, expected] of lineages) {
  test(`what ${who} sends is ${expected ? "its own" : "not its own"}`, () => {
    const lineage = { ownPids: [10], isSession: (one: number) => one === otherSession, ancestorsOf: (of: number) => tree[of] ?? [] };
    assert.equal(isSelfSent({ credential, pid }, lineage), expected);
  });
}

for (const [verdict, fields] of [
  [{ kind: "accept" }, undefined],
  [{ kind: "ignore", why: "" }, undefined],
  [{ kind: "hold", cause: "policy" }, { status: "held" }],
  [{ kind: "refuse" }, { status: "expired", status_detail: "refused" }],
] as const) {
  test(`${words(verdict)} is told as ${JSON.stringify(fields ?? "nothing")}`, () => {
    const receipt = verdictReceipt(verdict, from, "1");
    const expected = fields && { ...receipt, type: "control", action: "peer_message_status", from, orig_msg_id: "1", msgV: 1, ...fields };
    assert.deepEqual(receipt, expected);
  });
}
