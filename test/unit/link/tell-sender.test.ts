import assert from "node:assert/strict";
import { test } from "node:test";
import { userFrame } from "../../../src/claude/frames.ts";
import { CcmError, type ErrorCode } from "../../../src/core/errors.ts";
import type { Mirrors } from "../../../src/link/mirrors.ts";
import { tellSender } from "../../../src/link/tell-sender.ts";

/** Tells about a message with mirrors that fail like this before they do their work. */
async function tellWith(...failures: ErrorCode[]): Promise<number> {
  let tries = 0;
  const deliver = async () => {
    const code = failures[tries++];
    if (code !== undefined) throw new CcmError(code, "no");
  };
  await tellSender({
    frame: userFrame({ from: "uds:/x", content: "hello", messageId: "m" }),
    outcome: { state: "undeliverable" },
    sender: { pid: 1, procStart: "2", socketPath: "/x" },
    memberId: "a",
    mirrors: { deliver } as unknown as Mirrors,
  });
  return tries;
}

test("a sender is told although the mirror that tells it is killed and replaced, several times", async () => {
  assert.equal(await tellWith("unconfirmed", "timeout", "unconfirmed", "unconfirmed"), 5);
});

test("a sender that is no longer there is not tried again", async () => {
  await assert.rejects(tellWith("undeliverable"), { code: "undeliverable" });
});
