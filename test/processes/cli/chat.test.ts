import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../support/eventually.ts";
import { envelopeOf, eventsOf, hookedAndListening } from "../../unit/cli/fixtures/hooked-and-listening.ts";

test("ccm task speaks for the session that it runs in, and the roster shows it; outside it is refused", async (context) => {
  const { home, session } = await hookedAndListening(context);
  await session.hook("UserPromptSubmit", { prompt: "from the prompt", permission_mode: "bypassPermissions" });
  assert.equal((await session.run(["task"])).stdout, "from the prompt\n");
  const set = await session.run(["task", "moving", `the login to OAuth\nwith sk-ant-api03-${"aB3d".repeat(20)}`]);
  assert.equal(set.stdout, "moving the login to OAuth with [redacted]\n");
  const { stdout } = await home.ccm(["roster", "--match", "oauth", "--json"]);
  const [member, ...others] = JSON.parse(stdout).members;
  assert.deepEqual(
    [member.name, member.task, member.mode, member.holds],
    ["web-ui", "moving the login to OAuth with [redacted]", "bypass", true],
  );
  assert.deepEqual(others, []);
  assert.deepEqual(
    eventsOf(home).map(({ ev, source }) => [ev, source]),
    [
      ["join", "prompt"],
      ["task", "prompt"],
      ["task", "agent"],
    ],
  );
  const outside = await home.ccm(["task", "x"]);
  assert.deepEqual([outside.exitCode, /speaks for the Claude Code session/.test(outside.stderr)], [2, true]);
});

test("ccm broadcast writes to everyone but its own session, says how many, and can be narrowed", async (context) => {
  const { home, session, listener } = await hookedAndListening(context);
  const other = await home.session({ name: "ci-1" });
  const dry = await session.run(["broadcast", "--dry-run", "hello"]);
  assert.match(dry.stdout, /^api .*\nci-1 .*\nwould be written to 2 sessions\n$/);
  const all = await session.run(["broadcast", "main is", "frozen"]);
  assert.match(all.stdout, /^api +\S+ +written\nci-1 +\S+ +written\nwritten to 2 of 2 sessions\n$/);
  assert.equal((await eventually(() => envelopeOf(listener))).body, "main is frozen");
  await eventually(() => envelopeOf(other));
  const narrowed = JSON.parse((await home.ccm(["broadcast", "--local", "--except", "ci-*", "--json", "again"])).stdout);
  assert.deepEqual([narrowed.count, narrowed.recipients[0].name, narrowed.recipients[1].name], [2, "api", "web-ui"]);
  const nobody = await home.ccm(["broadcast", "--match", "nothing like it", "x"]);
  assert.equal(nobody.exitCode, 10);
  const [event] = eventsOf(home).filter(({ ev }) => ev === "broadcast");
  assert.deepEqual([event?.["sender"], event?.["count"], event?.["ok"], event?.["preview"]], ["web-ui", 2, true, "main is frozen"]);
  assert.ok(JSON.stringify(event).includes(String(listener.frames[0]?.msg_id)), "joined with the receivers' logs by msg_id");
});
