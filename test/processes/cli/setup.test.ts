import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { ChatHome } from "../../unit/cli/fixtures/chat-home.ts";

test("init leaves a file that it cannot read as it is", async (context) => {
  const home = new ChatHome(context);
  home.writeConfig('{"label": "laptop",}');
  const { exitCode, stderr } = await home.ccm(["init", "--label", "x"]);
  assert.equal(exitCode, 3);
  assert.match(stderr, /^ccm: .*config\.json: not JSON: .*\n {4}mend /);
});

test("unpair takes a label or a host, forgets that machine and no other", async (context) => {
  const home = new ChatHome(context);
  const [a, b, c] = ["a", "b", "c"].map((label) => ({ host: `me@${label}.example`, label }));
  home.writeConfig({ peers: [a, b, c] });
  assert.equal((await home.ccm(["unpair", "b"])).stdout, "b (me@b.example) is no longer paired; no daemon is running\n");
  assert.deepEqual(home.readConfig(), { peers: [a, c] });
  const report = JSON.parse((await home.ccm(["unpair", "me@c.example", "--json"])).stdout);
  assert.deepEqual(report, { label: "c", host: "me@c.example", unpaired: true, daemonRunning: false });
  assert.equal((await home.ccm(["unpair", "aa"])).stderr, 'ccm: no machine "aa" is paired\n    did you mean: ccm unpair a\n');
});

test("peer-set keeps what else is said of that machine, and refuses a label that nobody has", async (context) => {
  const home = new ChatHome(context);
  home.writeConfig({ peers: [{ host: "me@b.example", label: "b" }], trust: { b: { since: 7 } } });
  const [set, mistyped] = [await home.ccm(["peer-set", "b", "--attest", "strip"]), await home.ccm(["peer-set", "bb", "--attest", "strip"])];
  assert.equal(set.stdout, "b: its sessions cannot declare here that they bypass permission prompts; no daemon is running\n");
  assert.deepEqual(home.readConfig(), { peers: [{ host: "me@b.example", label: "b" }], trust: { b: { since: 7, attest: "strip" } } });
  assert.deepEqual([mistyped.exitCode, mistyped.stderr], [2, 'ccm: no machine is called "bb"\n    did you mean: ccm peer-set b\n']);
});

test("down says that no daemon was running", async (context) => {
  assert.deepEqual(await new ChatHome(context).ccm(["down"]), { exitCode: 0, stdout: "no daemon was running\n", stderr: "" });
});
