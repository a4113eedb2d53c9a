import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../support/eventually.ts";
import { envelopeOf, eventsOf, hookedAndListening } from "./fixtures/hooked-and-listening.ts";

test("ccm send from a session carries its own address and the mode of this moment; plan and unknown are undeclared", async (context) => {
  const { home, session, listener } = await hookedAndListening(context);
  const sendIn = async (permissionMode: string | undefined) => {
    listener.frames.length = 0;
    if (permissionMode !== undefined) await session.hook("PreToolUse", { tool_name: "Bash", permission_mode: permissionMode });
    // H8: another session's variables say nothing.
    const { exitCode, stderr } = await session.run(["send", "api", `in ${permissionMode}`], "", { CLAUDE_CODE_SESSION_ID: "other" });
    assert.equal(exitCode, 0, stderr);
    return await eventually(() => envelopeOf(listener));
  };
  assert.equal((await sendIn(undefined)).fromMode, undefined);
  const bypass = await sendIn("bypassPermissions");
  assert.deepEqual([bypass.fromMode, bypass.fromName, bypass.from], ["bypass", "web-ui", session.address]);
  assert.equal((await sendIn("acceptEdits")).fromMode, "prompting");
  assert.equal((await sendIn("plan")).fromMode, undefined);
  const sends = eventsOf(home).filter(({ ev }) => ev === "send");
  assert.deepEqual(sends.map(({ sender, to, ok, state, preview }) => [sender, to, ok, state, preview]).at(-1), [
    "web-ui",
    "api",
    true,
    "written",
    "in plan",
  ]);
  assert.equal(new Set(sends.map(({ msg_id }) => msg_id)).size, 4);
});
