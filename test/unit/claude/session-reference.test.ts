import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { sessionReference } from "../../../src/claude/session-reference.ts";

test("a session's reference is the one that ListAgents prints", () => {
  // As printed by Claude Code 2.1.282 for sessions with these inboxes.
  assert.equal(sessionReference("/run/user/1500/cc-socks/60.sock"), "fe6866");
  assert.equal(sessionReference("/run/user/1500/cc-socks/1646.sock"), "cc2452");
  assert.equal(sessionReference("/run/user/1500/cc-socks/1672.sock"), "b807e2");
});
