import assert from "node:assert/strict";
import { test } from "node:test";
import { extendHopChain, HopTokens, judgeHopChain } from "../../../../src/claude/admission/hop-chain.ts";
import { buildEnvelope, parseEnvelope } from "../../../../src/claude/envelope.ts";

const address = "uds:/run/user/1500/cc-socks/60.sock";
const own = new HopTokens().tokenOf(address);
const others = Array.from({ length: 32 }, (_, index) => index.toString(16).padStart(24, "0"));

test("a mark is of one address and one start of the program, and fits the envelope's grammar", () => {
  const tokens = new HopTokens();
  assert.match(tokens.tokenOf(address), /^[0-9a-f]{24}$/);
  assert.equal(tokens.tokenOf(address), tokens.tokenOf(address));
  assert.notEqual(tokens.tokenOf(address), tokens.tokenOf(`${address}x`));
  assert.notEqual(tokens.tokenOf(address), own);
});

test("an answer carries the chain of what it answers, and the mark of who answers behind it", () => {
  const chain = extendHopChain(extendHopChain(undefined, others[0] ?? ""), own);
  assert.equal(chain, `${others[0]},${own}`);
  assert.equal(parseEnvelope(buildEnvelope({ from: address, hopChain: chain }, "x"))?.hopChain, chain);
});

for (const [what, chain, expected] of [
  ["no chain", [], undefined],
  ["28 marks of others", others.slice(0, 28), undefined],
  ["29 marks of others", others.slice(0, 29), "hop-runaway"],
  ["its own mark 9 times", Array(9).fill(own), undefined],
  ["its own mark 10 times", Array(10).fill(own), "hop-loop"],
  ["its own mark 10 times among 29", [...others.slice(0, 19), ...Array(10).fill(own)], "hop-loop"],
] as const) {
  test(`T10 a chain with ${what}: ${expected ?? "taken"}`, () => {
    assert.equal(judgeHopChain(chain.join(","), own), expected);
  });
}
