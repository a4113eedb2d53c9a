import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { ChatHome } from "./fixtures/chat-home.ts";

test("`ccm` alone prints the help, with every command", async (context) => {
  const { exitCode, stdout, stderr } = await new ChatHome(context).ccm([]);
  assert.deepEqual({ exitCode, stderr }, { exitCode: 0, stderr: "" });
  for (const command of [
    "init",
    "pair",
    "unpair",
    "peer-set",
    "up",
    "down",
    "restart",
    "status",
    "roster",
    "send",
    "ask",
    "trace",
    "doctor",
    "update",
    "service",
    "completion",
  ]) {
    assert.match(stdout, new RegExp(`^  ccm ${command} `, "m"));
  }
});

test("completion offers commands", async (context) => {
  const { stdout } = await new ChatHome(context).ccm(["--get-yargs-completions", "ccm", "un"]);
  assert.match(stdout, /^unpair\b/m);
});

test("with --json a failure is one object on stdout, and the exit code the same", async (context) => {
  const { exitCode, stdout, stderr } = await new ChatHome(context).ccm(["unpair", "server", "--json"]);
  const error = { code: "usage", message: 'no machine "server" is paired', hint: "none is: ccm pair HOST" };
  assert.deepEqual({ exitCode, stderr, report: JSON.parse(stdout) }, { exitCode: 2, stderr: "", report: { error } });
});
