import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { ChatHome } from "../cli/fixtures/chat-home.ts";

test("without Claude Code the selftest says so, and has an exit code of its own", async (t) => {
  const home = new ChatHome(t, { PATH: "/nowhere" });
  assert.deepEqual(await home.ccm(["selftest"]), {
    exitCode: 71,
    stdout: "",
    stderr: "ccm: there is no claude on PATH\n    install Claude Code, or name it: ccm selftest --claude PATH\n",
  });
});
