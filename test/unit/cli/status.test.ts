import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { plainStyle } from "../../../src/cli/output/style.ts";
import { awaitLink } from "../../../src/cli/pair/await-link.ts";
import { describePairing } from "../../../src/cli/pair/describe-pairing.ts";
import { describeStatus } from "../../../src/cli/status/describe-status.ts";
import { prometheusText } from "../../../src/cli/status/prometheus.ts";
import { ChatHome } from "./fixtures/chat-home.ts";
import { fakeDaemon, linked, nowMs, status } from "./fixtures/fake-daemon.ts";

const view = { running: true, pairedLabels: ["server", "build"], nowMs, style: plainStyle };

test("status is a line for this machine, one for each peer, and what the last try ended with", () => {
  assert.equal(
    describeStatus(status, view),
    [
      "laptop  running  ccm 0.1.0, pid 999999999, up 1 min, 3 members",
      "  server  linked   for 2 h 5 min  me@server.example  2 members  ccm 0.1.0  bypass stripped",
      "  build   waiting  for 12 s       build",
      "    build: the host key is not the one in known_hosts:3",
      "    ask its administrator",
      "    next try in 4 s",
    ].join("\n"),
  );
});

test("status names what is paired and not taken up, and what to do where nothing is", () => {
  assert.match(describeStatus(status, { ...view, pairedLabels: ["server", "new"] }), /\n {2}new {2}paired, not taken up yet$/);
  assert.equal(
    describeStatus(undefined, { ...view, running: false, pairedLabels: [] }),
    "not running: ccm up starts it\n  no machine is paired: ccm pair HOST",
  );
});

test("status comes from the daemon while one runs, and else from what the last one left", async (context) => {
  const home = new ChatHome(context);
  const none = await home.ccm(["status", "--json"]);
  assert.deepEqual([none.exitCode, JSON.parse(none.stdout)], [20, { running: false }]);
  fs.mkdirSync(home.paths.state, { recursive: true });
  fs.writeFileSync(home.paths.statusFile, JSON.stringify(status));
  const last = await home.ccm(["status", "--json"]);
  assert.equal(last.exitCode, 20);
  assert.deepEqual(JSON.parse(last.stdout), { ...JSON.parse(JSON.stringify(status)), running: false });
  await fakeDaemon(context, home, () => ({ ok: true, status }));
  const current = await home.ccm(["status", "--json"]);
  assert.deepEqual([current.exitCode, JSON.parse(current.stdout).running], [0, true]);
  assert.match((await home.ccm(["status"])).stdout, /^laptop {2}running {2}/);
});

test("down asks the daemon to stop for good, unpair tells it what changed", async (context) => {
  const home = new ChatHome(context);
  home.writeConfig({ peers: [{ host: "server", label: "server" }] });
  const requests = await fakeDaemon(context, home, ({ op }) => (op === "status" ? { ok: true, status } : { ok: true }));
  assert.equal((await home.ccm(["unpair", "server"])).stdout, "server (server) is no longer paired\n");
  assert.equal((await home.ccm(["down"])).stdout, "stopped\n");
  assert.deepEqual(requests, [{ op: "reload" }, { op: "status" }, { op: "stop", final: true }]);
});

test("up says what runs already", async (context) => {
  const home = new ChatHome(context);
  await fakeDaemon(context, home, () => ({ ok: true, status }));
  assert.equal((await home.ccm(["up"])).stdout, "already running (pid 999999999, ccm 0.1.0)\n");
});

test("a link that does not come up leaves the machine paired, and says both", async (context) => {
  const home = new ChatHome(context);
  const requests = await fakeDaemon(context, home, ({ op }) =>
    op === "await-link" ? { ok: false, error: { code: "link_refused", message: "server dials us already" } } : { ok: true, status },
  );
  await assert.rejects(awaitLink("server", home.paths), {
    code: "link_refused",
    message: "server is paired, but not linked yet: server dials us already",
    hint: "the daemon keeps trying; ccm status shows how it goes",
  });
  assert.deepEqual(
    requests.map(({ op }) => op),
    ["reload", "await-link"],
  );
});

test("a link that is up is told with its version and who is there", async (context) => {
  const home = new ChatHome(context);
  await fakeDaemon(context, home, () => ({ ok: true, status }));
  const link = await awaitLink("server", home.paths);
  assert.deepEqual(link, { ...JSON.parse(JSON.stringify(linked)), attest: "strip" });
  const pairing = { host: "server", label: "server", wasPaired: false, pushed: true, link, memberNames: ["server-api", "server-web"] };
  assert.equal(describePairing(pairing, plainStyle), "linked to server (ccm 0.1.0): 2 members there\n  server-api\n  server-web");
  const nobody = { ...pairing, wasPaired: true, link: { ...linked, members: 0 }, memberNames: [] };
  assert.equal(describePairing(nobody, plainStyle), "linked to server (ccm 0.1.0), as before: no member there yet");
});

test("for a monitoring system the status is in Prometheus' format, with nothing in it that breaks a line", () => {
  const lines = prometheusText({ ...status, daemon: { ...status.daemon, commit: 'a"b\\c\n' } }, true).split("\n");
  for (const line of lines.slice(0, -1))
    assert.match(line, /^(# (HELP|TYPE) ccm_\w+ .+|ccm_\w+(\{\w+="(\\.|[^"\\])*"(,\w+="(\\.|[^"\\])*")*\})? -?[\d.e+]+)$/);
  assert.ok(lines.includes("ccm_up 1"));
  assert.ok(lines.includes('ccm_peer_linked{peer="server"} 1'));
  assert.ok(lines.includes('ccm_peer_linked{peer="build"} 0'));
  assert.ok(lines.includes('ccm_build_info{version="0.1.0",commit="a\\"b\\\\c\\n",machine="laptop"} 1'));
  assert.deepEqual(prometheusText(status, false).split("\n").slice(2), ["ccm_up 0", ""]);
});
