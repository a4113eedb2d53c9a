import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RosterMember } from "../../../src/members/roster-members.ts";
import { ChatHome } from "../../unit/cli/fixtures/chat-home.ts";

test("T4 N2 every address that the roster prints works when typed to send", async (context) => {
  const home = new ChatHome(context);
  const names = [
    "/deploy",
    "..",
    "a b",
    'x"y<z>',
    "作业-1",
    "🙂".repeat(200),
    "uds:/x",
    "name [ref]",
    "",
    "-rf",
    "twin",
    "twin",
    "e\u001b[31m\nvil",
  ];
  const sessions = await Promise.all(names.map((name) => home.session({ name })));
  const { members } = JSON.parse((await home.ccm(["roster", "--json"])).stdout) as { members: RosterMember[] };
  assert.equal(members.length, names.length);
  for (const { address, pid, name } of members) {
    const sent = await home.ccm(["send", String(address), `for ${pid}`]);
    assert.equal(sent.exitCode, 0, `${JSON.stringify(name)} at ${address}: ${sent.stderr}`);
    const target = sessions.find((session) => session.pid === pid);
    assert.match(JSON.stringify(await target?.next("frame")), new RegExp(`for ${pid}`));
  }
  const { stdout } = await home.ccm(["roster"]);
  assert.equal(stdout.split("\n").length, names.length + 2, "N3 one line for each");
  assert.ok(!stdout.includes("\u001b"), "N3 nothing that a terminal would act on");
});
